"""Modules in all the forms that callers have them in."""

import importlib
import os
import re
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable


@runtime_checkable
class Stage(Protocol):
    """A jax.stages.Lowered or Compiled."""

    def as_text(self) -> str | None: ...


@runtime_checkable
class Message(Protocol):
    """A protobuf message: HloProto or HloModuleProto."""

    def SerializeToString(self) -> bytes: ...


@runtime_checkable
class Computation(Protocol):
    """An XlaComputation or HloModule of jaxlib."""

    def as_serialized_hlo_module_proto(self) -> bytes: ...


Module = str | bytes | bytearray | memoryview | os.PathLike[str] | Stage | Message | Computation
"""HLO or StableHLO text, or a path; a serialized protobuf; a path; a stage of jax; a message; a module of jaxlib."""


def contents(x: Module) -> bytes | None:
    """Returns what a file of the module holds, None where x is the path of one that hlolayout reads.

    A str without a line end is a path, but for one that begins as HLO text. Raises TypeError for what is not a module.
    """
    match x:
        case str() if "\n" not in x and not x.lstrip().startswith("HloModule "):
            return _converted(Path(x))
        case os.PathLike():
            return _converted(Path(x))
        case str():
            return _hlo(x).encode()
        case bytes() | bytearray() | memoryview():
            return bytes(x)
        case Message():
            return x.SerializeToString()
        case Computation():
            return x.as_serialized_hlo_module_proto()
        case Stage():
            text = _text(x)
            if text is None:
                raise TypeError(f"{type(x).__name__} has no text: its backend does not give the compiled module")
            return _hlo(text).encode()
    name = type(x).__name__
    hint = "; give what its method lower returns" if hasattr(x, "lower") else ""
    raise TypeError(f"expected HLO text, a path, a protobuf, or a Lowered or Compiled of jax, found {name}{hint}")


def _converted(path: Path) -> bytes | None:
    """Returns the HLO of a file of StableHLO, None for other files."""
    if path.suffix != ".mlir" or not path.is_file():
        return None
    return _hlo(path.read_text(encoding="utf-8")).encode()


def _text(stage: Stage) -> str | None:
    if not hasattr(stage, "compile"):
        return stage.as_text()
    # debug_info keeps the lines of the program that values come from.
    return cast(Any, stage).as_text("hlo", debug_info=True)


def _hlo(text: str) -> str:
    """Returns HLO text; StableHLO is converted by jaxlib."""
    if not re.search(r"^\s*(?:module\b(?!_)[^\n]*\{|func\.func\b)", text, re.MULTILINE):
        return text
    try:
        mlir = importlib.import_module("jaxlib.xla_client")._xla.mlir
    except ImportError as e:
        raise ImportError("StableHLO text needs jaxlib, which converts it to HLO: pip install jaxlib") from e
    return mlir.mlir_module_to_xla_computation(text, False, False).as_hlo_text()


@contextmanager
def files(*modules: tuple[str, Module]) -> Generator[tuple[list[str], str | None]]:
    """Yields the paths of modules and the directory that they are relative to, None for the current one.

    Each module comes with the name, without extension, that a file of it gets where it is not one yet.
    """
    parts = [(name, x, contents(x)) for name, x in modules]
    if all(data is None for _, _, data in parts):
        yield [str(cast(str, x)) for _, x, _ in parts], None
        return
    with tempfile.TemporaryDirectory(prefix="hlolayout-") as directory:
        paths: list[str] = []
        for name, x, data in parts:
            if data is None:
                paths.append(os.path.abspath(cast(str, x)))
            else:
                Path(directory, name + ".hlo").write_bytes(data)
                paths.append(name + ".hlo")
        yield paths, directory
