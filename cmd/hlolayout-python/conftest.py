import os
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
os.environ.setdefault("JAX_PLATFORMS", "cpu")  # modules are lowered, nothing runs
os.environ.pop("CI", None)  # there, goldens are not updated


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def modules() -> Path:
    """Returns the repository's folder of sample modules."""
    return Path(__file__).parents[2] / "testdata"
