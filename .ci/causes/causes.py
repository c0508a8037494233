#!/usr/bin/env python3
"""Checks that the causes that `hlolayout explain` names are causes: changes each one and compiles again.

  python3 -m venv VENV && VENV/bin/pip install -r .ci/worth/requirements.txt
  VENV/bin/python .ci/worth/compile.py PROGRAMS
  VENV/bin/python .ci/causes/causes.py PROGRAMS HLOLAYOUT [--stage before|after|final] [--chains 200] [--programs 60] [--keep FOLDER]
      [--out TSV]

Chains are drawn at random, evenly over the kinds of cause, from programs that .ci/worth/compile.py compiled: values of the entry
whose chain ends in a cause at another value, or in what an operation demands of the value. What is changed, in the unoptimized module:

  entry-parameter, entry-result   that array of the interface gets another layout, a donated one on both sides
  the demand of a user            a LayoutConstraint between the value and that user asks for another order
  all others                      a LayoutConstraint behind the value that the chain ends at: its users get another order

The order that is asked for is the one that takes the least memory of those in which the dimensions that the value shares with the cause
lie in another sequence: the rule then says that the value moves. A reduce that has its compact order because nothing decides about its
operand gets a constraint there. A chain holds if the value's order is then another one than in the module that is compiled unchanged.
Where several causes demand one order (`also` in the JSON), the value keeps it as long as one of them is left: then all that explain names
are changed; what the named one moves alone is counted, too. Not counted, and said why, are chains whose cause has no place in the
unoptimized text, such as one in a loop or one that a pass made, or no other order that takes at most twice the memory; values that the
changed program does not have; and values that stay while some of several causes could not be changed.

Prints a line a chain that does not hold, and the counts by kind. Exit code 1 if less than 90 % hold. Without the compiler it says so and
exits with 0.
"""
import argparse, collections, json, os, pathlib, random, re, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "worth")]
import hlo
import hlotext

DEFAULTS = {"descending", "compact", "parameter-default", "literal", "loop-parameter"}


def entry(text):
    """{tag: Value} of the arrays of the entry that have a tag of their own, {name: tag}, and {tag: its operands' tags}."""
    name, found, tags = re.search(r"^ENTRY %?([\w.-]+)", text, re.M)[1], {}, {}
    for v in hlotext.values(text):
        tag = (v.op_name or "").rpartition("/")[2]
        if v.computation == name and tag:
            found[tag] = None if tag in found else v
            tags[v.name] = tag
    module = hlo.Module(text)
    reads = {t: [tags.get(o, "") for o in module.operands(n)] for n, t in tags.items() if n in module.at}
    return {t: v for t, v in found.items() if v}, tags, reads


def kind(chain):
    """The kind of cause of a chain, "" for one that is not looked at."""
    last = chain[-1]
    rule = last["rule_name"]
    if rule in ("one-order", "as-written", "", "from-operand", "from-user", "from-the-file"):
        return ""
    asked = last.get("source", "") not in ("", last["value"])
    if rule in ("entry-parameter", "entry-result"):
        return rule
    if any(l["rule_name"] == "boundary" for l in chain):
        return "through a loop"
    if rule in DEFAULTS:
        return "default"
    if asked:
        return f"{rule}, of a user"
    return rule if len(chain) > 1 else ""


def walk(arrays, at):
    """The links of a chain, from its first array on."""
    yield at
    while "next" in at:
        at = arrays[at["next"]]
        yield at


def candidates(folder, binary, stage, tpu):
    """The chains of a compiled program that can be checked: (kind, folder, the value's tag, chain, changes: the named cause first, whether
    there are more causes)."""
    module, out = hlo.Module((folder / "unoptimized.hlo").read_text()), []
    compiled = folder / (stage + ".hlo")
    found, tags, _ = entry(compiled.read_text())
    asked = subprocess.run([binary, "explain", "--all", "-q", "--format", "json", "--tpu", tpu, str(compiled)],
                           capture_output=True, text=True)
    all_of = json.loads(asked.stdout or '{"arrays": []}')
    arrays = all_of["arrays"]
    for e in arrays:
        tag, chain = tags.get(e["value"][1:]), []
        if e.get("inside") or not e.get("rule_name") or tag not in found or module.array(tag) is None:
            continue
        for at in walk(arrays, e):
            chain.append({"source": "", **at})
        also = [{"source": "", **c, **{k: arrays[c["array"]][k] for k in ("value", "shape")}} for c in
                (all_of["causes"][k] for k in e.get("also", []))]
        v, cause = found[tag], tags.get(chain[-1]["value"][1:])
        k = kind(chain)
        same = module.array(tag) == v.array[:2] and (stage == "final" or module.parts(tag)[2] == v.opcode)
        if same and sum(d > 1 for d in v.array.dims) > 1 and k and cause and module.array(cause):
            out.append((k, folder, tag, chain, changes(chain, also), e.get("and_more", False)))
    return out


def why(got):
    """What the compiler says of a text that it refuses, in a line."""
    lines = got["error"].splitlines()
    return next((line for line in lines if "error:" in line), lines[0])[:120]


def donated(text):
    """(result, parameter) of each array of the interface that is both."""
    return [(int(r or 0), int(p)) for r, p in re.findall(r"\{(\d*)\}: \((\d+), \{\}", text.split("\n", 1)[0])]


def place(module, compiled, cause, size):
    """The value of the unoptimized module that a compiled one of that tag is: where a matrix product has its operands swapped, it is
    the transposed product. None where there is no such value."""
    at, now = module.operands(cause), compiled.get(cause, [])
    swapped = len(now) == 2 and now != at and (now[0] == at[-1] or now[1] == at[0])
    while swapped or module.array(cause)[1] != size:
        users = [n for n in module.at if cause in module.operands(n)]
        if len(users) != 1 or module.parts(users[0])[2] not in ("transpose", "reshape", "convert") or users[0] in compiled:
            return None
        swapped, cause = swapped and module.parts(users[0])[2] != "transpose", users[0]
    return cause


def change(text, modes, link, matter, tags, compiled):
    """Changes one cause in the unoptimized text, or in the layout modes, so that the dimensions of each of the sets `matter` lie
    in another sequence; None where there is no other order, or no place for it."""
    module, cause, shape = hlo.Module(text), tags.get(link["value"].split("{")[0][1:]), hlo.SHAPE.match(link["shape"])
    cause = cause and module.array(cause) and place(module, compiled, cause, dims(link))
    if not cause:
        return None
    order = hlo.other_order(dims(link), [int(d) for d in shape[3].strip("{}").split(":")[0].split(",")], matter)
    if order is None:
        return None
    if link["rule_name"] in ("entry-parameter", "entry-result"):
        root = next(n for n in module.at if module.parts(n)[0])
        results = module.operands(root) if module.parts(root)[2] == "tuple" else [root]
        places = {"parameter": set(), "result": set()}
        if link["rule_name"] == "entry-parameter":
            places["parameter"].add(int(re.match(r"\d+", module.parts(cause)[3])[0]))
        else:
            places["result"] |= {k for k, o in enumerate(results) if o == cause}
        if not any(places.values()):
            return None
        for k, p in donated(text):
            if k in places["result"] or p in places["parameter"]:
                places["result"].add(k), places["parameter"].add(p)
        mode = "{" + ",".join(map(str, order)) + "}"
        return text, {side: modes.get(side, {}) | dict.fromkeys(numbers, mode) for side, numbers in places.items()}
    user = link.get("source", "")
    if user and user != link["value"]:
        user = tags.get(user[1:])
        if user not in module.at or cause not in module.operands(user):
            return None
        return module.constrained(cause, order, user), modes
    return (module.constrained(cause, order), modes) if f"%{cause}.asked" not in text else None


def dims(link):
    return tuple(int(d) for d in hlo.SHAPE.match(link["shape"])[2].split(",") if d)


def changes(chain, also):
    """(link, dimensions that matter): what to change so that the first array of a chain moves. A reduce that takes its compact order
    since nothing decides about its operand does not if something does."""
    named = chain[-1]
    if named["rule_name"] == "compact-reduce" and len(chain) > 1 and chain[-2]["rule_name"] == "from-user":
        named = chain[-2] | {"source": named["value"]}
    return [(named, hlo.carried([dims(l) for l in chain]))] + [(l, hlo.carried([dims(chain[0]), dims(l)])) for l in also]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("programs", type=pathlib.Path), p.add_argument("binary")
    p.add_argument("--tpu", default="v5e")
    p.add_argument("--stage", default="after", choices=["before", "after", "final"])
    p.add_argument("--chains", type=int, default=200)
    p.add_argument("--programs", dest="count", type=int, default=60)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--keep", type=pathlib.Path, help="keep what is compiled unchanged in this folder, and take from it what is there")
    p.add_argument("--out", help="write kind, chains, how many hold, and by the named cause alone, to this file")
    a = p.parse_args()
    try:
        import jax.experimental.topologies, jaxlib._hlo, jaxlib.mlir.ir, libtpu
        import jax._src.interpreters.mlir
        from jax._src.lib import xla_client
        import compiler
    except ImportError as e:
        print(f"skipped: {e} (see .ci/worth/requirements.txt)")
        return
    draw, compiled = random.Random(a.seed), "final.hlo" if a.stage == "final" else "after.hlo"
    folders = sorted(f.parent for f in (a.programs / a.tpu).glob("*/*/final.hlo") if f.parent.parent.name != "mesh")
    kinds, seen, held, problems = collections.defaultdict(list), collections.Counter(), collections.Counter(), collections.Counter()
    alone, used = collections.Counter(), set()
    with tempfile.TemporaryDirectory() as work:
        plain = {}
        draw.shuffle(folders)
        for folder in folders:
            if len(plain) == a.count:
                break
            copy, stages = (a.keep or pathlib.Path(work)) / folder.parent.name / folder.name, sorted({compiled, a.stage + ".hlo"})
            if not all((copy / stage).exists() for stage in stages):
                text = hlo.tagged((folder / "unoptimized.hlo").read_text())
                got = compiler.compiled(text, a.tpu, stages, work)
                if "error" in got:
                    problems["a program: " + why(got)] += 1
                    continue
                copy.mkdir(parents=True, exist_ok=True)
                for name, dump in [("unoptimized.hlo", text), *got.items()]:
                    (copy / name).write_text(dump)
            plain[copy] = entry((copy / compiled).read_text())[0], *entry((copy / (a.stage + ".hlo")).read_text())[1:]
            for k, *rest in candidates(copy, a.binary, a.stage, a.tpu):
                kinds[k].append(rest)

        def moves(folder, value, links, more=False):
            """Whether the value has another order when these causes are changed; None, counted, where that cannot be told."""
            text, modes = (folder / "unoptimized.hlo").read_text(), {}
            for n, (link, matter) in enumerate(links):
                changed = change(text, modes, link, matter, *plain[folder][1:])
                if changed:
                    text, modes = changed
                elif not n:
                    problems["no other order or place"] += 1
                    return None
                else:
                    more = True
            got = compiler.compiled(text, a.tpu, [compiled], work, modes)
            if "error" in got:
                problems["not compiled: " + why(got)] += 1
                return None
            before, after = plain[folder][0].get(value), entry(got[compiled])[0].get(value)
            if not before or not after or before.array[:2] != after.array[:2]:
                problems["the value is gone"] += 1
                return None
            moved = hlotext.order(before.array) != hlotext.order(after.array)
            if not moved and more and len(links) > 1:
                problems["a cause that is named besides has no other order or place"] += 1
                return None
            return moved

        def check(k, folder, value, chain, causes, more):
            moved = moves(folder, value, causes[:1])
            if moved is None:
                return
            all_moved = moved or len(causes) > 1 and moves(folder, value, causes, more)
            if all_moved is None:
                return
            used.add(folder)
            seen[k] += 1
            alone[k] += moved
            held[k] += all_moved
            if not all_moved:
                links = " <- ".join(f"{l['value']} {l['rule_name']}" for l in chain[:2] + chain[-1:])
                print(f"{folder.parent.name}/{folder.name} {k}: {value} stays with {len(causes)} changed: {links}", flush=True)

        for k in sorted(kinds):
            draw.shuffle(kinds[k])
        while sum(seen.values()) < a.chains and any(kinds.values()):
            for k in sorted(kinds):
                if kinds[k] and sum(seen.values()) < a.chains:
                    check(k, *kinds[k].pop())
    rows = [(k, seen[k], held[k], alone[k]) for k in sorted(seen)]
    for k, n, h, one in rows + [("all", *(sum(c.values()) for c in (seen, held, alone)))]:
        print(f"{k:32} {n:4} chains, {h:4} hold, {100 * h / max(1, n):5.1f} %; {one} by the named cause alone")
    print(f"of {len(used)} of {len(plain)} programs; not counted:", dict(problems))
    if a.out:
        pathlib.Path(a.out).write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    sys.exit(sum(held.values()) < .9 * sum(seen.values()))


if __name__ == "__main__":
    main()
