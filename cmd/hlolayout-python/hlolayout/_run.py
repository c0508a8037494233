"""The binary: where it is, what it prints, what it refuses."""

import dataclasses
import inspect
import json
import os
import re
import shutil
import subprocess
import sysconfig
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, TypeVar, cast, get_args, get_origin

T = TypeVar("T")

_ERROR = re.compile(
    r"(?!Run '|  )(?:hlolayout: |(?P<file>.+?):(?:(?P<line>\d+):(?P<column>\d+):)? )?"
    r"(?P<message>.+?)(?: \[(?P<code>[A-Z]{3}\d+)\])?"
)


class HLOError(Exception):
    """What hlolayout refuses; str() is all that it says, with the line of the text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        found = [m.groupdict() for m in map(_ERROR.fullmatch, text.splitlines()) if m]
        # Notes come before the error, which has a code where it is about a module.
        part: dict[str, str | None] = next((m for m in found if m["code"]), found[-1] if found else {})
        self.message: str = part.get("message") or text
        self.code: str | None = part.get("code")
        """Such as HLO010, which hlolayout explain HLO010 explains."""
        self.file: str | None = part.get("file")
        self.line: int | None = int(part.get("line") or 0) or None
        """1-based, in the text of the module."""
        self.column: int | None = int(part.get("column") or 0) or None
        """1-based, in bytes."""


class HLOWarning(UserWarning):
    """What hlolayout notes beside a result: that a module is cut or of another platform, or a name is not unique."""


_WARNING = re.compile(r"(?:.*?: )?(?:note|warning): .*|.*?: foreign module, .*|.*?: .* module, for .*: warning: .*")
_PACKAGE = os.path.dirname(__file__) + os.sep


def warn(notes: str) -> None:
    """Warns of what the command notes, at the line that calls this package."""
    found = [line for line in notes.splitlines() if _WARNING.fullmatch(line)]
    if not found:
        return
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    for line in found:
        warnings.warn(line, HLOWarning, stacklevel=level)


@cache
def binary() -> str:
    """Returns the path of the command hlolayout that the wheel installs."""
    name = "hlolayout" + (sysconfig.get_config_var("EXE") or "")
    package = os.path.dirname(os.path.dirname(__file__))
    user = sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))
    for folder in (sysconfig.get_path("scripts"), os.path.join(package, "bin"), user):  # bin: of pip install --target
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    path = shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"no program {name}: install hlolayout's wheel again")
    return path


_FILE_FLAGS = frozenset(
    {"baseline", "config", "extract", "golden", "html", "o", "output", "resume", "svg", "target-file"}
)
"""Flags whose values are files, as is that of report --diff; those of output are FORMAT=PATH."""


def _anchored(arguments: Sequence[str]) -> list[str]:
    """Returns the arguments with the files that flags name as absolute paths, for a run in another directory."""
    files = {*_FILE_FLAGS, "diff"} if arguments[0] == "report" else _FILE_FLAGS
    out: list[str] = []
    end = arguments.index("--")
    flags = iter(arguments[:end])
    for flag in flags:
        out.append(flag)
        name, has_value, value = flag.partition("=")
        if not flag.startswith("-") or name.lstrip("-") not in files:
            continue
        if has_value:
            out[-1] = name + "="
        elif (value := next(flags, "")) == "":
            continue
        else:
            out.append("")
        head, path = "", value
        if name.lstrip("-") == "output":
            head, equals, path = value.partition("=")
            head += equals
        out[-1] += head + (path if path in ("", "-") else os.path.abspath(path))
    return out + list(arguments[end:])


def run(arguments: Sequence[str], cwd: str | None) -> tuple[str, str]:
    """Returns what the command prints to standard output and standard error; raises HLOError where it fails.

    Notes are warnings, too, but for those of assign, which returns them. Files that flags name are relative to the
    current directory, also where the command runs in another one, cwd.
    """
    __tracebackhide__ = True
    if cwd is not None:
        arguments = _anchored(arguments)
    done = subprocess.run([binary(), *arguments], cwd=cwd, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode not in (0, 1):  # 1: something was found
        raise HLOError(done.stderr.strip())
    if arguments[0] != "assign":
        warn(done.stderr)
    return done.stdout, done.stderr


def documents(kind: type[T], text: str) -> Iterator[T]:
    """Yields the JSON objects of a text, which follow each other or are in a list, as values of a dataclass.

    Raises ValueError where something else is among them, which flags such as --output=text=- print.
    """
    decoder, at = json.JSONDecoder(), 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        several = text[at] == "["
        try:
            data, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as e:
            line = text[at:].partition("\n")[0]
            raise ValueError(f"expected JSON, found {line!r}: flags are not to change what is printed") from e
        found: list[dict[str, Any]] = data if several else [data]
        yield from (build(kind, x) for x in found)


def build(kind: type[T], data: dict[str, Any]) -> T:
    """Returns a JSON object as a value of a dataclass. Keys that the class does not have are left out."""
    return kind(**{name: of(data[key]) if of else data[key] for key, name, of in _fields(kind) if key in data})


@cache
def _fields(kind: type[Any]) -> list[tuple[str, str, Callable[[Any], Any] | None]]:
    """Returns the fields of a dataclass: key in JSON, name, and what makes its value; None where JSON's is it."""
    return [(f.name.rstrip("_"), f.name, _maker(f.type)) for f in dataclasses.fields(kind)]


def _maker(kind: Any) -> Callable[[Any], Any] | None:
    if dataclasses.is_dataclass(kind):
        return partial(build, cast(type[Any], kind))
    parts = get_args(kind)
    if get_origin(kind) is tuple:
        of = _maker(parts[0])
        return lambda data: tuple(map(of, data) if of else data)
    if type(None) in parts:
        return _maker(parts[0])
    return None
