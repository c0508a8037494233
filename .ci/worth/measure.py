#!/usr/bin/env python3
"""What answers are worth at each stage: hlolayout on the stages of programs, against what libtpu compiled.

  go build -o /tmp/hlolayout ./cmd/hlolayout
  .ci/worth/measure.py OUT /tmp/hlolayout [--tpu v5e] [--only REGEX] [--misses]

OUT is the folder that compile.py filled. Prints the table of .ci/worth/README.md; with --misses, each wrong answer, too. Compared with final.hlo:

  entry layouts     arrays of the entry whose shape (one device's) and layout `assign` gives as the header of final.hlo has them
  surviving orders  values with the same op_name, element type and dimensions, two of them above 1, whose order `assign` gives; copies, which it inserts,
                    and parameters are left out
  padded bytes      the sum that `stats` prints, and the share of programs in which it is within a quarter of final.hlo's; held bytes: the same
                    without the copies between memories that the compiler adds to final.hlo after fusion
  relayout bytes    the same for bytes that relayouts move
  lint              warnings that final.hlo confirms, and final.hlo's warnings that were foreseen. Two warnings are the same if
                    both are of padding, or both of relayouts, and the arrays have the same op_name or the same dimensions,
                    whatever their element type (the compiler narrows operands of matrix products)
"""
import argparse, collections, json, pathlib, re, subprocess, sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import hlotext

STAGES = {"lowered": "lowered.hlo", "unoptimized": "unoptimized.hlo", "pre-layout": "before.hlo", "laid out": "after.hlo"}
KIND = {"TPL001": "padding", "TPL002": "padding", "TPL003": "padding", "TPL004": "relayout", "TPL005": "relayout", "TPL006": "relayout"}


class Tool:
    """hlolayout for one target."""

    def __init__(self, binary, tpu):
        self.binary, self.tpu = binary, tpu

    def run(self, *args, ok=(0,)):
        p = subprocess.run([self.binary, *map(str, args)], capture_output=True, text=True)
        if p.returncode not in ok:
            raise RuntimeError(f"{' '.join(map(str, args))}: {p.stderr[:500]}")
        return p.stdout

    def assign(self, path, *flags):
        return self.run("assign", "-q", "--tpu", self.tpu, *flags, path)

    def interface(self, path):
        """The arrays of the interface that one device holds, by shape: {shape: how many} of parameters, and of results."""
        m = json.loads(self.run("summary", "-q", "--tpu", self.tpu, "--format", "json", path))["modules"][0]
        return [collections.Counter({s["shape"]: s["count"] for s in m[k]["shapes"]}) for k in ("parameters", "results")]

    def stats(self, path):
        s = json.loads(self.run("stats", "-q", "--tpu", self.tpu, "--format", "json", path))
        s["held_bytes"] = s["padded_bytes"] - sum(o["padded_bytes"] for o in s["opcodes"] if o["op"] in ("copy-start", "async-start"))
        return s

    def lint(self, path):
        return json.loads(self.run("lint", "-q", "--tpu", self.tpu, "--severity", "note", "--output", "json=-", path, ok=(0, 1)))["cases"][0]["findings"]


def entry(assigned, final):
    """How many arrays of the interface agree, and those that do not."""
    misses, n = [], 0
    for ours, theirs in zip(hlotext.interface(assigned), hlotext.interface(final)):
        n += len(theirs)
        if len(ours) != len(theirs):
            misses += [(None, t) for t in theirs]
        misses += [(o, t) for o, t in zip(ours, theirs) if o != t]
    return n - len(misses), n, misses


def device(tool, path, final):
    """entry of a program for several devices: what one of them holds. The header of final.hlo has it."""
    misses, n = [], 0
    for ours, theirs in zip(tool.interface(path), hlotext.interface(final)):
        theirs = collections.Counter(f"{a.dtype}[{','.join(map(str, a.dims))}]{{{a.layout}}}" for a in theirs)
        n += theirs.total()
        wrong = list((theirs - ours).elements())
        misses += [(list((ours - theirs).elements()), t) for t in wrong]
    return n - len(misses), n, misses


def survivors(assigned, final, fused):
    """How many surviving values have the order, and those that have not. fused: also values inside of fusions."""
    def orders(text):
        out = collections.defaultdict(collections.Counter)
        for v in hlotext.values(text):
            if v.op_name and sum(d > 1 for d in v.array.dims) > 1 and v.opcode not in ("parameter", "constant", "copy") and (fused or not v.fused):
                out[v.op_name, v.array.dtype, v.array.dims][hlotext.order(v.array)] += 1
        return out
    ours, theirs = orders(assigned), orders(final)
    right = n = 0
    misses = []
    for key in theirs:
        if key not in ours:
            continue
        both = sum((ours[key] & theirs[key]).values())
        total = min(sum(ours[key].values()), sum(theirs[key].values()))
        right, n = right + both, n + total
        if both < total:
            misses.append((key, dict(ours[key]), dict(theirs[key])))
    return right, n, misses


def findings(tool, path):
    """The findings of lint as (kind, op_names, dimensions, finding): warnings and errors, and notes."""
    out = []
    for f in tool.lint(path):
        ops = {v["op_name"] for v in f.get("values", []) if v.get("op_name")}
        shape = hlotext.arrays(f.get("shape", ""))
        dims = tuple(sorted(d for d in shape[0].dims if d > 1)) if shape else None
        out.append((KIND.get(f["rule"], f["rule"]), ops, dims, f))
    return [f for f in out if f[3]["severity"] != "note"], [f for f in out if f[3]["severity"] == "note"]


def same(a, b):
    return a[0] == b[0] and (a[1] & b[1] or a[2] is not None and a[2] == b[2])


class Row:
    """Sums of one stage over programs."""

    def __init__(self):
        self.entry, self.plain, self.inner, self.memory, self.lint = [0, 0], [0, 0], [0, 0], [0, 0], [0, 0, 0, 0, 0]
        self.bytes = {"padded_bytes": [], "held_bytes": [], "relayout_bytes": []}

    def add(self, to, right, n):
        to[0], to[1] = to[0] + right, to[1] + n


def measure(tool, folder, rows, misses):
    final = (folder / "final.hlo").read_text()
    final_stats, final_warnings = tool.stats(folder / "final.hlo"), findings(tool, folder / "final.hlo")[0]
    name = f"{folder.parent.name}/{folder.name}"
    for stage, file in STAGES.items():
        path, row = folder / file, rows[stage]
        assigned = tool.assign(path) if stage != "laid out" else path.read_text()
        meshed = folder.parent.name == "mesh"
        right, n, wrong = device(tool, path, final) if meshed else entry(assigned, final)
        row.add(row.entry, right, n)
        misses += [f"{name} {stage} entry: {o} for {t}" for o, t in wrong]
        if meshed:
            continue
        row.add(row.plain, *survivors(assigned, final, True)[:2])
        if stage in ("lowered", "unoptimized"):
            assigned = tool.assign(path, "--simplify")
        right, n, wrong = survivors(assigned, final, True)
        row.add(row.inner, right, n)
        misses += [f"{name} {stage} order: {w}" for w in wrong]
        row.add(row.memory, *survivors(assigned, final, False)[:2])
        stats = tool.stats(path)
        for key, list in row.bytes.items():
            list.append((stats[key], final_stats[key], name))
            misses.append(f"{name} {stage} {key}: {stats[key]} for {final_stats[key]}")
        found, notes = findings(tool, path)
        for w in found:
            if not any(same(w, f) for f in final_warnings):
                misses.append(f"{name} {stage} unconfirmed: {w[3]['rule']} {w[3].get('shape')} {w[3]['message']} {sorted(w[1])}")
        for f in final_warnings:
            if not any(same(w, f) for w in found):
                misses.append(f"{name} {stage} unforeseen: {f[3]['rule']} {f[3].get('shape')} {f[3]['message']} {sorted(f[1])}")
        for i, k in enumerate((sum(any(same(w, f) for f in final_warnings) for w in found), len(found),
                               sum(any(same(w, f) for w in found) for f in final_warnings), len(final_warnings),
                               sum(any(same(w, f) for w in found + notes) for f in final_warnings))):
            row.lint[i] += k


def share(right, n):
    return f"{100 * right / n:.1f} % of {n}" if n else "–"


def bytes_text(pairs):
    """Predicted against compiled bytes: the sums, and programs within a quarter or 1 MiB."""
    if not pairs:
        return "–"
    near = sum(abs(a - b) <= max(b / 4, 1 << 20) for a, b, _ in pairs)
    return f"{sum(a for a, _, _ in pairs) / 1e6:.0f} for {sum(b for _, b, _ in pairs) / 1e6:.0f} MB; {100 * near / len(pairs):.0f} %"


def table(single, mesh, programs, meshed):
    print(f"{programs} programs for one device, {meshed} for meshes of 4 and 8.\n")
    print("| | " + " | ".join(STAGES) + " |")
    print("| --- |" + " --- |" * len(STAGES))
    lines = {"entry layouts": lambda s: share(*single[s].entry),
             "entry layouts and shapes of one device of a mesh": lambda s: share(*mesh[s].entry),
             "orders of surviving values": lambda s: share(*single[s].plain),
             "the same with `assign --simplify`": lambda s: share(*single[s].inner),
             "those of them outside of fusions": lambda s: share(*single[s].memory),
             "padded bytes, and programs within a quarter": lambda s: bytes_text(single[s].bytes["padded_bytes"]),
             "the same without copies between memories": lambda s: bytes_text(single[s].bytes["held_bytes"]),
             "bytes of relayouts, and programs within a quarter": lambda s: bytes_text(single[s].bytes["relayout_bytes"]),
             "warnings that the compiled module confirms": lambda s: share(*single[s].lint[:2]),
             "warnings of the compiled module that are foreseen": lambda s: share(*single[s].lint[2:4]),
             "the same, by notes, too": lambda s: share(single[s].lint[4], single[s].lint[3])}
    for title, cell in lines.items():
        print(f"| {title} | " + " | ".join(cell(s) for s in STAGES) + " |")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out", type=pathlib.Path), p.add_argument("binary")
    p.add_argument("--tpu", default="v5e"), p.add_argument("--only", default=""), p.add_argument("--misses", action="store_true")
    a = p.parse_args()
    tool, misses, counts = Tool(a.binary, a.tpu), [], collections.Counter()
    single, mesh = ({s: Row() for s in STAGES} for _ in range(2))
    for path in sorted((a.out / a.tpu).glob("*/*/final.hlo")):
        folder = path.parent
        if not re.search(a.only, f"{folder.parent.name}/{folder.name}"):
            continue
        meshed = folder.parent.name == "mesh"
        counts[meshed] += 1
        try:
            measure(tool, folder, mesh if meshed else single, misses)
        except RuntimeError as e:
            misses.append(f"{folder.name} FAILED: {e}")
            print(misses[-1], file=sys.stderr)
    table(single, mesh, counts[False], counts[True])
    if a.misses:
        print("\n" + "\n".join(misses))


if __name__ == "__main__":
    main()
