#!/usr/bin/env python3
"""Measures how often each rule of the layout pass is right, on programs that were not used to find the rules.

  VENV/bin/python .ci/worth/compile.py OUT          # compiles the programs of .ci/worth, one generation a call
  .ci/precision/measure.py HLOLAYOUT OUT            # writes passes/reasons/precision.tsv

OUT has a folder for each generation. `hlolayout score` counts: an array of two dimensions or more is right where its whole layout is
the compiler's, for the rule that gave the prediction.
"""
import collections, json, pathlib, subprocess, sys

binary, out = sys.argv[1:]
seen, right = collections.Counter(), collections.Counter()
tpus = sorted(p.name for p in pathlib.Path(out).iterdir() if p.is_dir())
for tpu in tpus:
    run = subprocess.run([binary, "score", "-q", "--tpu", tpu, "--format", "json", f"{out}/{tpu}"], capture_output=True, text=True)
    if run.returncode > 1:
        sys.exit(run.stderr)
    for rule in json.loads(run.stdout)["rules"]:
        seen[rule["rule"]] += rule["seen"]
        right[rule["rule"]] += rule["right"]
table = pathlib.Path(__file__).resolve().parents[2] / "passes/reasons/precision.tsv"
table.write_text(f"# rule, arrays, right: made by .ci/precision/measure.py from the programs of .ci/worth for {', '.join(tpus)}\n"
                 + "".join(f"{r}\t{seen[r]}\t{right[r]}\n" for r in sorted(seen)))
print(f"{sum(right.values())} of {sum(seen.values())} arrays right, {len(seen)} rules")
