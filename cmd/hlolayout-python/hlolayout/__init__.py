"""Layouts of XLA HLO modules on TPUs: assigned, explained, counted, compared.

Each function takes a module as HLO text, a path, a protobuf (bytes or message), a jax.stages.Lowered or Compiled, or
StableHLO text where jaxlib is installed, and runs the hlolayout command of its name.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hlolayout._api import (
        Assigned,
        assign,
        check,
        diff,
        diff_all,
        explain,
        explain_all,
        extract,
        lint,
        memory,
        oom,
        report,
        score,
        stats,
        sweep,
    )
    from hlolayout._html import Report
    from hlolayout._input import Module
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
    from hlolayout._run import HLOError, HLOWarning, binary

__all__ = [
    "OOM",
    "Assigned",
    "Diff",
    "Explanation",
    "Explanations",
    "Findings",
    "HLOError",
    "HLOWarning",
    "Memory",
    "Module",
    "Report",
    "Score",
    "Stats",
    "Sweep",
    "WhatIf",
    "assign",
    "binary",
    "check",
    "diff",
    "diff_all",
    "explain",
    "explain_all",
    "extract",
    "lint",
    "memory",
    "oom",
    "report",
    "score",
    "stats",
    "sweep",
]


def __getattr__(name: str) -> object:
    """Loads what is used: pytest imports the package, for its plugin, in every run."""
    if name in __all__:
        for module in ("_run", "_api"):  # _api has the names of the other modules
            found: object = getattr(import_module("hlolayout." + module), name, None)
            if found is not None:
                return found
    raise AttributeError(f"module 'hlolayout' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Returns what shells and notebooks complete."""
    return sorted({*globals(), *__all__})
