"""The functions: each runs the command of its name."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from hlolayout._html import Report
from hlolayout._input import Module, contents, files
from hlolayout._results import (
    OOM,
    Diff,
    Explanation,
    Explanations,
    Findings,
    Memory,
    Score,
    Stats,
    Sweep,
    WhatIf,
)
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
    __tracebackhide__ = True
    with files(("module", x)) as (paths, cwd):
        return run([command, *_target(tpu), *flags, "--", *paths, *values], cwd)


_KINDS = {"v5 lite": "v5e", "v5": "v5p", "v6 lite": "v6e", "7x": "v7x"}
"""The generations of jax's device kinds, without TPU, that have other names."""


def _target(tpu: Any) -> list[str]:
    if tpu is None:
        return []
    kind = getattr(tpu, "device_kind", None)  # of a jax.Device
    if isinstance(kind, str) and kind.startswith("TPU"):
        kind = kind.removeprefix("TPU").strip()
        tpu = _KINDS.get(kind, kind)
    if not isinstance(tpu, str):
        raise TypeError(f"tpu is the name of a generation, such as 'v5e', or a TPU of jax, found {tpu!r}")
    return ["--tpu=" + tpu]


def _asked(flag: str, argument: str, orders: Any) -> list[str]:
    if orders is None:
        return []
    if not isinstance(orders, Mapping):
        example = "{'%div.7': '{1,0}'}" if flag == "pin" else "{'param 0': '{1,0}'}"
        raise TypeError(f"{argument} is a dict, such as {example}, found a {type(orders).__name__}")
    return [f"--{flag}={name}={order}" for name, order in cast(Mapping[str, str], orders).items()]


def _flags(flags: Sequence[str]) -> list[str]:
    if isinstance(flags, str):  # a sequence, too: of characters
        raise TypeError(f"flags is a list of flags, found a str: write [{flags!r}]")
    out = [str(flag) for flag in flags]
    for flag in out:
        if flag.startswith("-") and flag.lstrip("-").partition("=")[0] in ("format", "h", "help", "version"):
            raise ValueError(f"flags has {flag}: it changes what is printed, which functions read; run binary() for it")
    return out


def _one(kind: type[T], text: str) -> T:
    found: list[Any] = list(documents(kind, text))
    if len(found) == 1:
        return found[0]
    if len({x.file for x in found}) == 1:
        names = ", ".join(f"{i} {x.module}" for i, x in enumerate(found))
        raise ValueError(f"expected one module, found {len(found)}: choose one with flags=['--module=0']: {names}")
    names = ", ".join(f"{x.file} ({x.module})" for x in found)
    raise ValueError(f"expected one module, found {len(found)}: give one of the files: {names}")


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
    asked = [*_asked("pin", "pins", pins), *_asked("entry", "entry", entry)]
    text, notes = _output("assign", x, tpu, [*asked, *_flags(flags)])
    if not asked:
        return Assigned(text, notes.strip(), None)
    _, cost = _output("assign", x, tpu, [*asked, *_flags(flags), "-q", "--format=json"])
    return Assigned(text, notes.strip(), _one(WhatIf, cost))


def explain(
    x: Module, value: str, tpu: str | None = None, *, simplify: bool = True, flags: Sequence[str] = ()
) -> tuple[Explanation, ...]:
    """Returns why a value, such as %dot.3, has its layout: an explanation for each array of it.

    Of several values of a name it is the entry's; %computation/%name is a certain one. Of lowered and unoptimized
    modules value names one of the simplified module, as those of stats do, and, where that has none, or without
    simplify, one of the module as it is written.
    """
    options = ["--format=json", *_flags(flags)]
    if simplify and not any(flag.lstrip("-").startswith("simplify") for flag in options):
        try:
            return tuple(documents(Explanation, _output("explain", x, tpu, ["--simplify", *options], value)[0]))
        except HLOError:  # what is wrong with the module itself is said below
            pass
    return tuple(documents(Explanation, _output("explain", x, tpu, options, value)[0]))


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


def oom(x: Module | BaseException, tpu: str | None = None, *, flags: Sequence[str] = ()) -> OOM:
    """Returns what of a program does not fit in memory, and what would help; sizes are bytes.

    x is a module, or the compiler's out-of-memory message: the exception, or text with a line end. Raises HLOError
    where it is neither.
    """
    if isinstance(x, BaseException):
        x = str(x).encode()
    return _one(OOM, _output("oom", x, tpu, ["--format=json", *_flags(flags)])[0])


def sweep(x: Module, tpu: str | None = None, *, flags: Sequence[str] = ()) -> Sweep:
    """Returns orders of parameters and results that pad and copy least, in bytes, with the flags of assign for each.

    Without tpu it tries all generations; "v5e,v6e" are two. Raises HLOError for a module that has its layouts.
    """
    return _one(Sweep, _output("sweep", x, tpu, ["--format=json", *_flags(flags)])[0])


def extract(x: Module, value: str, *, radius: int = 1, flags: Sequence[str] = ()) -> str:
    """Returns a module of what is around a value, such as %dot.3, as text.

    radius is how many steps from the value it goes; -1 takes all of the value's computation. Raises HLOError where the
    module has no such value.
    """
    return _output("extract", x, None, [f"--radius={radius}", *_flags(flags)], value)[0]


def score(
    before: Module,
    after: Module | None = None,
    tpu: str | None = None,
    *,
    spaces: bool = False,
    flags: Sequence[str] = (),
) -> Score:
    """Returns how many predicted layouts are what a compiler made of a module.

    before and after are the module before and after layout assignment; with spaces, before and after memory-space
    assignment, whose sizes are bytes. Without after, before is a folder of --xla_dump_to. Raises HLOError where the two
    are not one module, or part of a folder cannot be read.
    """
    parts = [("before", before)] if after is None else [("before", before), ("after", after)]
    asked = [*_target(tpu), *(["--spaces"] if spaces else []), "--format=json", *_flags(flags)]
    with files(*parts) as (paths, cwd):
        return next(documents(Score, run(["score", *asked, "--", *paths], cwd)[0]))


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
    data = contents(x)
    if data is None:  # a path; so that the golden has the name that was asked for
        data = Path(cast(str, x)).read_bytes()
    with files((name, data)) as (paths, cwd):
        if update:
            run(["check", "--update", *options, "--", *paths], cwd)
        return _one(Findings, run(["check", "--format=json", *options, "--", *paths], cwd)[0])
