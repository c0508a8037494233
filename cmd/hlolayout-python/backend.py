"""Builds the package with Go, for pip: where no wheel fits the platform, and from a clone."""

import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Writes the wheel of this machine and returns its name."""
    platform = "/".join(subprocess.check_output(["go", "env", "GOOS", "GOARCH"], text=True).split())
    tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return _release("*.whl", wheel_directory, f"-platform={platform}", f"-wheel-tag={tag}")


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Writes the sources and returns the file's name."""
    return _release("*.tar.gz", sdist_directory, "-platform=none")


def _release(made: str, directory: str, *flags: str) -> str:
    with tempfile.TemporaryDirectory() as out:
        command = ["go", "run", "./cmd/release", "-wheels", "-archives=false", f"-out={out}", *flags]
        subprocess.run(command, cwd=ROOT, check=True)
        (path,) = Path(out).glob(made)
        shutil.copy(path, directory)
        return path.name
