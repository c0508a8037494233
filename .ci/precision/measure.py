#!/usr/bin/env python3
"""Measures how often each rule of the layout pass is right, on programs that are not its evidence.

  VENV/bin/python .ci/worth/compile.py OUT --tpu v7x    # compiles the programs of .ci/worth, one generation a call
  .ci/precision/measure.py HLOLAYOUT OUT...             # writes passes/reasons/precision.tsv

OUT has a folder for each generation, with a folder for each program in it or in folders of it; other programs that compile.py has
compiled may be further OUTs. `hlolayout score` counts: an array of two dimensions or more is right where its whole layout is the
compiler's, for the rule that gave the prediction.
"""
import collections, json, pathlib, subprocess, sys

binary, *outs = sys.argv[1:]
seen, right, modules = collections.Counter(), collections.Counter(), []
for tpu in sorted({p.name for out in outs for p in pathlib.Path(out).iterdir() if p.is_dir()}):
    folders = [f"{out}/{tpu}" for out in outs if pathlib.Path(out, tpu).is_dir()]
    run = subprocess.run([binary, "score", "-q", "--tpu", tpu, "--format", "json", *folders], capture_output=True, text=True)
    if run.returncode > 1:
        sys.exit(run.stderr)
    total = json.loads(run.stdout)
    modules.append(f"{total['layouts']['modules']} programs for {tpu}")
    for rule in total["rules"]:
        seen[rule["rule"]] += rule["seen"]
        right[rule["rule"]] += rule["right"]
table = pathlib.Path(__file__).resolve().parents[2] / "passes/reasons/precision.tsv"
table.write_text(f"# rule, arrays, right: made by .ci/precision/measure.py from {', '.join(modules)}\n"
                 + "".join(f"{r}\t{seen[r]}\t{right[r]}\n" for r in sorted(seen)))
print(f"{sum(right.values())} of {sum(seen.values())} arrays right, {len(seen)} rules, {', '.join(modules)}")
