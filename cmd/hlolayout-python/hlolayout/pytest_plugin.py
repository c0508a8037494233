"""The fixture hlo_golden: golden layouts in pytest."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hlolayout._input import Module


class Golden:
    """Compares modules with lock files beside the test."""

    def __init__(
        self, directory: Path, tpu: str | None, update: bool, test: str = "", written: dict[Path, str] | None = None
    ) -> None:
        self.directory, self.tpu, self.update = directory, tpu, update
        self._test, self._written = test, {} if written is None else written

    def check(
        self, x: "Module", name: str, tpu: str | None = None, *, whole: bool = False, partial: bool = False
    ) -> None:
        """Fails the test where the layouts of x are not those of the golden NAME.lock, or NAME.TPU.lock for a target.

        tpu is by default the target of the mark hlo_targets. whole compares the module, too; partial takes texts
        that are cut, such as the first 2,000 lines of a module. --hlo-golden-update writes the golden; where a test
        of the same session has written it, with other layouts, this one fails.
        """
        if self.update and os.environ.get("CI", "") not in ("", "false"):
            pytest.fail(
                "--hlo-golden-update does not run where the variable CI is set, for it would accept any change: "
                "unset CI, or update the goldens locally and commit them",
                pytrace=False,
            )
        from hlolayout._api import check  # not before it is used: pytest loads plugins in every run

        tpu = tpu or self.tpu
        name = f"{name}.{tpu}" if tpu else name
        flags = ["--partial"] if partial else []
        wrote = self._written.get(self.directory / name)
        if not self.update or wrote is None:
            found = check(x, self.directory, name, tpu, update=self.update, whole=whole, flags=flags)
        else:
            found = check(x, self.directory, name, tpu, flags=flags)
        findings = [f for case in found.cases for f in case.findings]
        if self.update and not findings:
            self._written.setdefault(self.directory / name, self._test)
            if wrote is not None and whole:
                check(x, self.directory, name, tpu, update=True, whole=True, flags=flags)
        if findings:
            lines = [f"{name}: not as its golden in {self.directory}"]
            if wrote is not None:
                lines = [f"{name}: {self._test} would write another golden than {wrote} has: give each its own name"]
            for f in findings:
                lines += [f"{f.rule}: {f.message}", *("  " + detail for detail in f.details)]
            if wrote is None:
                lines.append("To accept: pytest --hlo-golden-update")
            pytest.fail("\n".join(lines), pytrace=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("hlolayout")
    group.addoption("--hlo-golden-update", action="store_true", help="write the goldens of hlo_golden")
    parser.addini("hlo_golden_dir", "directory of hlo_golden's files, relative to the test's", default="golden")


_WRITTEN = pytest.StashKey[dict[Path, str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_WRITTEN] = {}  # by the path of a golden: the test that wrote it in this session
    config.addinivalue_line("markers", "hlo_targets(tpu, ...): run the test for each of these TPU generations")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    mark = metafunc.definition.get_closest_marker("hlo_targets")
    if mark and "hlo_golden" in metafunc.fixturenames:
        metafunc.parametrize("hlo_golden", mark.args, indirect=True)


@pytest.fixture
def hlo_golden(request: pytest.FixtureRequest) -> Golden:
    """Returns the goldens beside the test's file."""
    directory = request.path.parent / request.config.getini("hlo_golden_dir")
    update = bool(request.config.getoption("--hlo-golden-update"))
    written = request.config.stash[_WRITTEN]
    return Golden(directory, getattr(request, "param", None), update, request.node.nodeid, written)
