#!/usr/bin/env python3
"""launches_csv.py PROGRAM FOLDER OUT: the launches of launches_*.list on the engine that executes machine code, beside what the
hardware did with the same cubins: a line of CSV for each launch, and on standard error how many are equal.

PROGRAM is build/bin/machine_launches; FOLDER has the cubins; OUT is what code_counts.sh wrote on a GPU.

  tests/gpu/launches_csv.py build/bin/machine_launches .truth /tmp/out >docs/strangers.csv

SPDX-License-Identifier: MIT"""
import collections
import csv
import os
import subprocess
import sys
import tempfile

LISTS = "seen", "open", "held"
SPACES, KINDS = ("global", "shared", "local"), ("ld", "st", "atom", "copy", "ldsm")
L1, SASS = "l1tex__t_%s_pipe_lsu_mem_%s_op_%s", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_%s"
# Column of the table: ncu's metrics, whose sum it is. Requests to shared memory are not among them: ncu's counters of these include
# instructions that are predicated off and waits for copies, or differ from run to run (smsp__inst_executed_op_shared_ld_pred_on_any).
METRICS = {
    "executed": ["smsp__inst_executed"],
    "lanes": ["smsp__thread_inst_executed_pred_on"],
    "global_ld": [L1 % ("requests", "global", "ld")],
    "global_st": [L1 % ("requests", "global", "st")],
    "global_atom": [L1 % ("requests", "global", "atom"), L1 % ("requests", "global", "red")],
    "ld_sectors": [L1 % ("sectors", "global", "ld")],
    "st_sectors": [L1 % ("sectors", "global", "st")],
    "local_ld": [L1 % ("requests", "local", "ld")],
    "local_st": [L1 % ("requests", "local", "st")],
    "ld_wavefronts": [SASS % "ld"],
    "st_wavefronts": [SASS % "st"],
    "ldsm_wavefronts": [SASS % "ldsm"],
}


def launches(path):
    lines = [line.split(" | ") for line in open(path) if line.strip() and not line.startswith("#")]
    return [(fields[0].strip(), fields[2].strip()) for fields in lines]


def engine(program, folder, path):
    """What the engine counts of each launch that it executed, and the hash of each array that is written."""
    with tempfile.TemporaryDirectory() as out:
        run = subprocess.run([program, "--folder", folder, "--hashes", out + "/hashes", path], capture_output=True, text=True,
                             env=dict(os.environ, ENGINE_COUNTS=out + "/counts"))
        hashes = list(csv.reader(open(out + "/hashes"))) if os.path.exists(out + "/hashes") else []
        counts = [row for row in csv.reader(open(out + "/counts"))] if os.path.exists(out + "/counts") else []
    for line in run.stderr.splitlines():
        if line.startswith("engine: "):
            print(line, file=sys.stderr)
    failed = {row[0] for row in hashes if row[1] == "-"}
    arrays = {(row[0], row[1]): row[4] for row in hashes if row[1] != "-"}
    found, rest = {}, iter(counts)
    row = next(rest, None)
    for name, symbol in launches(path):
        if row and row[0] == symbol:
            if name not in failed:
                found[name] = columns([int(float(cell)) for cell in row[1:]])
            row = next(rest, None)
    return found, arrays, failed


def columns(cells):
    of = {(space, kind): cells[2 + 5 * i + j] for i, space in enumerate(SPACES) for j, kind in enumerate(KINDS)}
    sectors, wavefronts = dict(zip(KINDS, cells[17:22])), dict(zip(KINDS, cells[22:27]))
    return {"executed": cells[0], "lanes": cells[1],
            # ncu counts asynchronous copies among the loads.
            "global_ld": of["global", "ld"] + of["global", "copy"], "global_st": of["global", "st"],
            "global_atom": of["global", "atom"], "ld_sectors": sectors["ld"] + sectors["copy"], "st_sectors": sectors["st"],
            "local_ld": of["local", "ld"], "local_st": of["local", "st"],
            "ld_wavefronts": wavefronts["ld"], "st_wavefronts": wavefronts["st"], "ldsm_wavefronts": wavefronts["ldsm"]}


def hardware(out):
    """ncu's counts of each launch, and the hash of each array that is the same in both runs."""
    counts, arrays = {}, collections.defaultdict(dict)
    for held in "", "held_":
        for row in csv.DictReader(open("%s/%score.csv" % (out, held))):
            counts[row["id"]] = {c: total(row, metrics) for c, metrics in METRICS.items()}
        for row in csv.DictReader(open("%s/%shashes.csv" % (out, held))):
            if row["stable"] == "yes" and row["array"] != "-":
                arrays[row["id"]][row["array"]] = row["fnv1a64"]
    return counts, arrays


def total(row, metrics):
    cells = [row.get(metric + ".sum") for metric in metrics]
    return None if None in cells or "" in cells else sum(int(float(cell.replace(",", ""))) for cell in cells)


def main():
    program, folder, out = sys.argv[1:]
    theirs, their_arrays = hardware(out)
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["launch", "list", "verdict", "arrays", "arrays_equal"] + list(METRICS) + ["ncu_" + c for c in METRICS])
    for name in LISTS:
        path = "%s/launches_%s.list" % (os.path.dirname(os.path.abspath(__file__)), name)
        ours, arrays, failed = engine(program, folder, path)
        tally, differ = collections.Counter(), collections.Counter()
        for launch, _ in launches(path):
            counted = theirs.get(launch)
            if launch in failed or launch not in ours:
                verdict = "not executed"
            elif not counted:
                verdict = "not counted by ncu"
            else:
                wrong = [c for c in METRICS if counted[c] is not None and counted[c] != ours[launch][c]]
                differ.update(wrong)
                verdict = "differs: " + " ".join(wrong) if wrong else "equal"
            tally[verdict.split(":")[0]] += 1
            known = their_arrays.get(launch, {})
            equal = sum(arrays.get((launch, array)) == value for array, value in known.items())
            tally["arrays"] += len(known) if launch in ours else 0
            tally["arrays equal"] += equal
            table.writerow([launch, name, verdict, len(known), equal] + [ours.get(launch, {}).get(c, "") for c in METRICS] +
                           ["" if not counted or counted[c] is None else counted[c] for c in METRICS])
        print("%s: %s%s" % (name, ", ".join("%s %d" % item for item in tally.items()),
                            "; differ: " + ", ".join("%s %d" % item for item in differ.items()) if differ else ""), file=sys.stderr)


main()
