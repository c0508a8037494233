"""The functions: each runs the command of its name."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hlolayout._html import Report
from hlolayout._input import Module, files
from hlolayout._results import Diff, Explanation, Explanations, Findings, Memory, Stats, WhatIf
from hlolayout._run import HLOError, documents, run

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Assigned:
    """A module with its layouts."""

    text: str
    """The rewritten module."""
    notes: str
    """What the layouts are worth, and warnings."""
    cost: WhatIf | None
    """What pins and entry layouts cost; None without them."""

    def __str__(self) -> str:
        return self.text


def _output(command: str, x: Module, tpu: str | None, flags: Sequence[str], *values: str) -> tuple[str, str]:
    with files(("module", x)) as (paths, cwd):
        return run([command, *_target(tpu), *flags, "--", *paths, *values], cwd)


def _target(tpu: str | None) -> list[str]:
    return [] if tpu is None else ["--tpu=" + tpu]


def _flags(flags: Sequence[str]) -> list[str]:
    if isinstance(flags, str):  # a sequence, too: of characters
        raise TypeError(f"flags is a list of flags, found a str: write [{flags!r}]")
    return [str(flag) for flag in flags]


def _one(kind: type[T], text: str) -> T:
    found = list(documents(kind, text))
    if len(found) != 1:
        raise ValueError(f"expected one module, found {len(found)}: name a file of one, or choose with flags")
    return found[0]


def assign(
    x: Module,
    tpu: str | None = None,
    *,
    pins: Mapping[str, str] | None = None,
    entry: Mapping[str, str] | None = None,
    flags: Sequence[str] = (),
) -> Assigned:
    """Returns the module with the layouts that the compiler of a TPU generation would give it.

    pins hold values in an order, as in {"%div.7": "{3,2,1,0}"}; entry that of parameters and results, as in
    {"param 0": "{1,0}"}. flags are further ones of the command. Raises HLOError where hlolayout refuses the module.
    """
    asked = [f"--pin={name}={order}" for name, order in (pins or {}).items()]
    asked += [f"--entry={name}={order}" for name, order in (entry or {}).items()]
    text, notes = _output("assign", x, tpu, [*asked, *_flags(flags)])
    if not asked:
        return Assigned(text, notes.strip(), None)
    _, cost = _output("assign", x, tpu, [*asked, *_flags(flags), "-q", "--format=json"])
    return Assigned(text, notes.strip(), _one(WhatIf, cost))


def explain(x: Module, value: str, tpu: str | None = None, *, flags: Sequence[str] = ()) -> tuple[Explanation, ...]:
    """Returns why a value, such as %dot.3, has its layout: an explanation for each array of it."""
    out, _ = _output("explain", x, tpu, ["--format=json", *_flags(flags)], value)
    return tuple(documents(Explanation, out))


def explain_all(x: Module, tpu: str | None = None, *, flags: Sequence[str] = ()) -> Explanations:
    """Returns why every array in memory has its layout; the chains share their links."""
    return _one(Explanations, _output("explain", x, tpu, ["--all", "--format=json", *_flags(flags)])[0])


def stats(x: Module, tpu: str | None = None, *, flags: Sequence[str] = ()) -> Stats:
    """Returns what arrays take in memory with their padding, and every relayout."""
    return _one(Stats, _output("stats", x, tpu, ["--format=json", *_flags(flags)])[0])


def lint(x: Module, tpu: str | None = None, *, flags: Sequence[str] = ()) -> Findings:
    """Returns what costs memory or time for no use: padding, relayouts, broken contracts."""
    return _one(Findings, _output("lint", x, tpu, ["--format=json", *_flags(flags)])[0])


def memory(x: Module, tpu: str | None = None, *, flags: Sequence[str] = ()) -> Memory:
    """Returns what fills HBM and VMEM over the schedule of a scheduled module."""
    return _one(Memory, _output("memory", x, tpu, ["--format=json", *_flags(flags)])[0])


def report(x: Module, tpu: str | None = None, *, flags: Sequence[str] = ()) -> Report:
    """Returns a page of what layouts cost and why, which a notebook shows."""
    return Report(_output("report", x, tpu, _flags(flags))[0])


def diff(a: Module, b: Module, *, flags: Sequence[str] = ()) -> Diff:
    """Compares two modules without the noise of renumbering.

    Of two folders that hold one pair of modules it is that pair's; more are for diff_all.
    """
    pairs = diff_all(a, b, flags=flags)
    if len(pairs) != 1:
        raise HLOError(f"expected one pair of modules, found {len(pairs)}; name two modules, or call diff_all")
    return pairs[0]


def diff_all(a: Module, b: Module, *, flags: Sequence[str] = ()) -> tuple[Diff, ...]:
    """Compares the modules of two folders or archives: a Diff for each pair, and for each module on one side."""
    with files(("old", a), ("new", b)) as (paths, cwd):
        return tuple(documents(Diff, run(["diff", "--format=json", *_flags(flags), "--", *paths], cwd)[0]))


def check(
    x: Module,
    golden: str | os.PathLike[str],
    name: str,
    tpu: str | None = None,
    *,
    update: bool = False,
    whole: bool = False,
    flags: Sequence[str] = (),
) -> Findings:
    """Compares a module with golden/NAME.lock, its layouts, or with update writes that file.

    whole keeps the module, too, as golden/NAME.golden.hlo. A finding CHK001 says that there is no golden.
    """
    if not name or os.path.basename(name) != name or name in (os.curdir, os.pardir):
        raise ValueError(f"name is the name of a golden, without a folder: found {name!r}")
    options = [*_target(tpu), "--golden=" + os.path.abspath(golden), *_flags(flags)]
    options += [] if whole else ["--lock-only"]
    if isinstance(x, str | os.PathLike) and "\n" not in os.fspath(x):
        with open(x, "rb") as file:  # so that the golden has the name that was asked for
            x = file.read()
    with files((name, x)) as (paths, cwd):
        if update:
            run(["check", "--update", *options, "--", *paths], cwd)
        return _one(Findings, run(["check", "--format=json", *options, "--", *paths], cwd)[0])
