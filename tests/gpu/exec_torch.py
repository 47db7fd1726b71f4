#!/usr/bin/env python3
"""exec_torch.py [--quick]: products of PyTorch's on a GPU, for `gradus exec --gpu`: matmul, nn.Linear, bmm, a transformer's
training, a CUDA graph, two streams. Prints JSON: errors against float64 in units of 2^-23 sum|a||b|, losses, times by CUDA
events. Nothing in it knows whether cuBLAS or gradus computes. SPDX-License-Identifier: MIT"""
import json
import sys
import time

try:
    import torch
except ImportError:
    print("skip: no PyTorch (pip install torch)")
    sys.exit(77)
if not torch.cuda.is_available():
    print("skip: PyTorch finds no GPU")
    sys.exit(77)

QUICK = "--quick" in sys.argv
gpu = torch.device("cuda")
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
results = {"torch": torch.__version__, "cuda": torch.version.cuda, "gpu": torch.cuda.get_device_name()}


def median_ms(run, rounds=9, each=5):
    """The time of one call by events, the median of `rounds`."""
    run()
    torch.cuda.synchronize()
    times = []
    for _ in range(rounds):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(each):
            run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / each)
    return sorted(times)[len(times) // 2]


def host_us(run, calls=200):
    """The host's time for a call, while the GPU follows."""
    run()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(calls):
        run()
    spent = time.perf_counter() - begin
    torch.cuda.synchronize()
    return spent / calls * 1e6


def error_of(found, a, b, bias=None):
    """The largest error of found = a b + bias, in units of 2^-23 sum|a||b|."""
    a, b = a.double(), b.double()
    exact, size = a @ b, a.abs() @ b.abs()
    if bias is not None:
        exact, size = exact + bias.double(), size + bias.double().abs()
    return float(((found.double() - exact).abs() / size).max() * 2**23)


def random(*shape, dtype=torch.float32):
    return torch.randn(*shape, device=gpu, dtype=dtype)


def entry(name, ms, flop, **more):
    results.setdefault("products", {})[name] = {"ms": ms, "tflops": flop / ms * 1e-9, **more}


def matmuls():
    sizes = [(512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (4096, 4096, 128),
             (128, 4096, 4096), (1000, 1000, 1000), (4095, 4095, 4095)]
    for m, n, k in sizes[:4] if QUICK else sizes:
        a, b = random(m, k), random(k, n)
        entry(f"matmul f32 {m}x{n}x{k}", median_ms(lambda: a @ b), 2 * m * n * k, error=error_of(a @ b, a, b))
    a, b = random(2048, 1536), random(2500, 1536)
    for name, x, y in (("nt", a, b.t()), ("tn", random(1536, 2048).t(), random(1536, 2500)),
                       ("tt", random(1536, 2048).t(), b.t())):
        entry(f"matmul f32 {name} 2048x2500x1536", median_ms(lambda: x @ y), 2 * 2048 * 2500 * 1536,
              error=error_of(x @ y, x, y))
    for m, n, k in () if QUICK else ((16, 4096, 4096), (64, 4096, 4096), (96, 4096, 4096), (192, 4096, 4096),
                                     (256, 4096, 4096), (512, 4096, 4096), (4096, 64, 4096), (4096, 128, 4096),
                                     (128, 16384, 2048), (256, 256, 8192), (8192, 8192, 64), (256, 3072, 768),
                                     (768, 768, 768), (2048, 2048, 48), (4096, 4096, 32)):
        a, b = random(m, k), random(n, k).t()
        entry(f"matmul f32 nt {m}x{n}x{k}", median_ms(lambda: a @ b), 2 * m * n * k, error=error_of(a @ b, a, b))
    a, b = random(1024, 1024), random(1024, 1024)
    out = random(1024, 1024)
    added = torch.addmm(out, a, b, beta=0.5, alpha=2.0)
    results["addmm"] = float((added.double() - (0.5 * out.double() + 2 * a.double() @ b.double())).abs().max())
    for dtype, size in ((torch.float64, 1024), (torch.bfloat16, 4096)):
        a, b = random(size, size, dtype=dtype), random(size, size, dtype=dtype)
        entry(f"matmul {str(dtype)[6:]} {size}", median_ms(lambda: a @ b), 2 * size**3, error=error_of(a @ b, a, b))


def linears():
    for tokens, inputs, outputs in ((4096, 1024, 4096), (8192, 4096, 4096), (256, 768, 3072), (1024, 1024, 2048),
                                    (2048, 768, 3072)):
        layer = torch.nn.Linear(inputs, outputs, device=gpu)
        x = random(tokens, inputs)
        with torch.no_grad():
            entry(f"linear f32 {tokens}x{outputs}x{inputs}", median_ms(lambda: layer(x)), 2 * tokens * inputs * outputs,
                  error=error_of(layer(x), x, layer.weight.t(), layer.bias))


def batches():
    for batch, m, n, k in ((8, 1024, 1024, 1024), (4, 2048, 2048, 1024), (4, 2048, 2048, 2048), (64, 128, 128, 64)):
        a, b = random(batch, m, k), random(batch, k, n)
        entry(f"bmm f32 {batch}x{m}x{n}x{k}", median_ms(lambda: torch.bmm(a, b)), 2 * batch * m * n * k,
              error=error_of(torch.bmm(a, b), a, b))


def hosts():
    a, b = random(64, 64), random(64, 64)
    results["host_us"] = {"64": host_us(lambda: a @ b)}
    a, b = random(1024, 1024), random(1024, 1024)
    results["host_us"]["1024"] = host_us(lambda: a @ b)


class Block(torch.nn.Module):
    """A layer of a transformer whose attention is written out, in matmul and softmax."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = torch.nn.ModuleList([torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)])
        self.qkv = torch.nn.Linear(width, 3 * width)
        self.out = torch.nn.Linear(width, width)
        self.up = torch.nn.Linear(width, 4 * width)
        self.down = torch.nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2)
                   for t in self.qkv(self.norms[0](x)).chunk(3, dim=-1))
        scores = q @ k.transpose(-1, -2) / (width / self.heads)**0.5
        mask = torch.ones(length, length, device=x.device, dtype=torch.bool).tril()
        weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(batch, length, width))
        return x + self.down(torch.nn.functional.gelu(self.up(self.norms[1](x))))


def training():
    """Learns the next symbol of a text that follows a rule; the same numbers every time."""
    torch.manual_seed(1)
    symbols, width, length, batch, steps = 256, 1024, 256, 16, 10 if QUICK else 30
    model = torch.nn.Sequential(torch.nn.Embedding(symbols, width), *[Block(width, 16) for _ in range(4)],
                                torch.nn.Linear(width, symbols)).to(gpu)
    rate = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    text = torch.arange(length + 1, device=gpu)
    losses, times = [], []
    for step in range(steps):
        rows = torch.arange(batch, device=gpu)[:, None] + step
        data = (text[None] * (rows % 7 + 3) + rows * rows) % symbols
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        logits = model(data[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), data[:, 1:].flatten())
        rate.zero_grad()
        loss.backward()
        rate.step()
        end.record()
        end.synchronize()
        losses.append(float(loss.detach()))
        times.append(begin.elapsed_time(end))
    results["training"] = {"losses": losses, "ms": sorted(times[3:])[len(times[3:]) // 2]}


def graph():
    """A layer and a product captured and played three times, after one warm-up outside."""
    layer, x = torch.nn.Linear(2048, 2048, device=gpu), random(2048, 2048)
    other = random(2048, 2048)

    def work():
        with torch.no_grad():
            return layer(x) @ other

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        work()
    torch.cuda.current_stream().wait_stream(side)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        out = work()
    worst = 0.0
    for _ in range(3):
        x.copy_(random(2048, 2048))
        captured.replay()
        torch.cuda.synchronize()
        hidden = layer.weight.detach().double()
        exact = (x.double() @ hidden.t() + layer.bias.detach().double()) @ other.double()
        worst = max(worst, float((out.double() - exact).abs().max() / exact.abs().max()))
    results["graph"] = {"error": worst, "ms": median_ms(captured.replay), "ms_without": median_ms(work)}


def streams():
    """Two streams at once give the bits that one gives."""
    pairs = [(random(1024, 1024 + 64 * i), random(1024 + 64 * i, 1024)) for i in range(8)]
    alone = [a @ b for a, b in pairs]
    torch.cuda.synchronize()
    lanes = [torch.cuda.Stream(), torch.cuda.Stream()]
    equal = True
    for _ in range(5):
        found = [None] * len(pairs)
        for i, (a, b) in enumerate(pairs):
            with torch.cuda.stream(lanes[i % 2]):
                found[i] = a @ b
        torch.cuda.synchronize()
        equal = equal and all(torch.equal(x, y) for x, y in zip(found, alone))
    results["streams_equal"] = equal


def main():
    torch.manual_seed(0)
    failures = {}
    for part in (matmuls, linears, batches, hosts, training, graph, streams):
        try:
            part()
        except Exception as error:  # the others tell more of what is wrong
            failures[part.__name__] = f"{type(error).__name__}: {error}"[:500]
    results["failures"] = failures
    print(json.dumps(results, indent=1))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
