#!/usr/bin/env python3
"""exec_torch_compare.py PLAIN GRADUS REPORT: what exec_torch.py printed without and with `gradus exec --gpu`, and the
latter's JSON: a table; fails where a product is less accurate than plain float32's bound, the losses differ by more than
float32's noise, or nothing was intercepted. SPDX-License-Identifier: MIT"""
import json
import sys

plain, ours, report = (json.load(open(path)) for path in sys.argv[1:4])
wrong = []


def check(right, what):
    if not right:
        wrong.append(what)


print(f"{ours['gpu']}, PyTorch {ours['torch']}, CUDA {ours['cuda']}")
print(f"{'':34} {'cuBLAS':>9} {'gradus':>9} {'speed-up':>8}   error, units of 2^-23 sum|a||b|")
for name, p in plain.get("products", {}).items():
    g = ours.get("products", {}).get(name)
    if not g:
        check(False, f"{name}: missing")
        continue
    print(f"{name:34} {p['ms']:7.3f}ms {g['ms']:7.3f}ms {p['ms'] / g['ms']:8.2f}   {p['error']:.3g} -> {g['error']:.3g}")
    check(g["error"] <= max(2 * p["error"], 4), f"{name}: error {g['error']:.3g}, cuBLAS {p['error']:.3g}")
for size, us in plain.get("host_us", {}).items():
    print(f"{'host time of a call, ' + size:34} {us:7.1f}us {ours['host_us'][size]:7.1f}us")
if "training" in plain and "training" in ours:
    p, g = plain["training"], ours["training"]
    print(f"{'training step of a transformer':34} {p['ms']:7.2f}ms {g['ms']:7.2f}ms {p['ms'] / g['ms']:8.2f}")
    apart = [abs(x - y) / abs(x) for x, y in zip(p["losses"], g["losses"])]
    print("losses, cuBLAS:", " ".join(f"{x:.4f}" for x in p["losses"][::5] + p["losses"][-1:]))
    print("losses, gradus:", " ".join(f"{x:.4f}" for x in g["losses"][::5] + g["losses"][-1:]))
    print(f"largest relative difference of a loss: first five steps {max(apart[:5]):.2g}, all {max(apart):.2g}")
    check(max(apart[:5]) < 1e-4, f"losses of the first steps differ by {max(apart[:5]):.2g}")
    check(max(apart) < 2e-2, f"losses differ by {max(apart):.2g}")
if "graph" in plain and "graph" in ours:
    p, g = plain["graph"], ours["graph"]
    print(f"{'graph: a layer and a product':34} {p['ms']:7.3f}ms {g['ms']:7.3f}ms {p['ms'] / g['ms']:8.2f}   "
          f"relative error {p['error']:.2g} -> {g['error']:.2g}")
    check(g["error"] < max(4 * p["error"], 1e-6), f"graph: error {g['error']:.2g}")
check(ours.get("streams_equal") is True, "two streams: other bits than on one")
check(not plain["failures"], f"without gradus: {plain['failures']}")
check(not ours["failures"], f"with gradus: {ours['failures']}")
computed = sum(r["calls"] for r in report["routines"] if not r.get("passed_on"))
check(computed > 0, "nothing was computed by gradus")
print(f"streams equal: {ours.get('streams_equal')}; {computed} of {report['calls']} calls computed by gradus")
for r in report["routines"]:
    print(f"  {r['routine']:30} {r['calls']:6} {r.get('passed_on') or 'computed'}")
for text in report.get("refusals", []):
    print(f"  said: {text}")
for text in wrong:
    print("WRONG:", text)
print("exec_torch:", "failed" if wrong else "right")
sys.exit(1 if wrong else 0)
