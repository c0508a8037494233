import os
import re
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


@pytest.fixture
def golden(pytester: pytest.Pytester):
    """Returns a function that runs the test of README for a model whose compiled module is a text."""
    source = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL).group(1)
    pytester.makepyfile(test_layouts="import pytest\n\n" + source)
    pytester.makeconftest("""
        import pathlib, pytest

        @pytest.fixture
        def train_compile():
            return lambda model: pathlib.Path(model + ".after_optimizations.txt")
    """)

    def run(model: str, text: str, *flags: str) -> pytest.RunResult:
        (pytester.path / f"{model}.after_optimizations.txt").write_text(text)
        return pytester.runpytest_inprocess("-q", f"-k{model}", *flags)

    return run


def arrays(text: str) -> list[str]:
    """Returns the shapes and layouts of all results of a text, sorted."""
    lines = [line.split(" = ", 1)[1] for line in text.splitlines() if re.match(r"\s+(?:ROOT )?%?[\w.-]+ = ", line)]
    return sorted(
        shape for line in lines for shape in re.findall(r"\w+\[[\d,]*\]\{[^}]*\}", line.split(" metadata=")[0])
    )


def history(model: str) -> list[str]:
    """Returns all versions of a model's golden module in a clone of MaxText."""
    path = f"tests/utils/reference_hlo_{model}.txt"
    git = ["git", "-C", os.environ["HLOLAYOUT_MAXTEXT"]]
    log = [*git, "log", "--reverse", "--topo-order", "--first-parent", "-m", "--format=%h"]
    commits = subprocess.check_output([*log, "--", path], text=True).split()
    return [subprocess.check_output([*git, "show", f"{c}:{path}"], text=True) for c in commits]


@pytest.mark.skipif("HLOLAYOUT_MAXTEXT" not in os.environ, reason="HLOLAYOUT_MAXTEXT names no clone of MaxText")
@pytest.mark.parametrize("model", ["deepseek3", "llama3_8b", "qwen3_1.7b"])
def test_history_of_maxtext(golden, model):
    reported = same = 0
    versions = history(model)
    golden(model, versions[0], "--hlo-golden-update").assert_outcomes(passed=1)
    for old, new in pairwise(versions):
        changed = arrays(old) != arrays(new)
        golden(model, new).assert_outcomes(failed=changed, passed=not changed)
        golden(model, new, "--hlo-golden-update").assert_outcomes(passed=1)
        reported, same = reported + changed, same + (not changed)
    print(f"{model}: {reported} changes of layouts reported, {same} updates without one passed")
    assert reported and same


def test_noise_and_changes(golden, modules):
    text = (modules / "attention.v5e.hlo").read_text()
    golden("llama3_8b", text, "--hlo-golden-update").assert_outcomes(passed=1)
    noise = re.sub(r"stack_frame_id=\d+", "stack_frame_id=9", text.replace("sub.7", "sub.70"))
    assert noise != text
    golden("llama3_8b", noise).assert_outcomes(passed=1)
    moved = text.replace(
        "%sub.7 = bf16[2,4,64,64]{2,3,1,0:T(8,128)(2,1)}", "%sub.7 = bf16[2,4,64,64]{2,3,1,0:T(8,128)(2,1)S(1)}"
    )
    assert moved != text
    result = golden("llama3_8b", moved, "--junitxml=junit.xml")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*CHK002*", "*+  bf16*S(1)}", "*--hlo-golden-update"])
    assert "S(1)" in Path("junit.xml").read_text()


def test_settings(pytester, monkeypatch):
    pytester.makeini("[pytest]\nhlo_golden_dir = locks")
    pytester.makepyfile("""
        import pytest
        M = "HloModule m\\nENTRY e {\\n  ROOT p = f32[2] parameter(0)\\n}\\n"

        @pytest.mark.hlo_targets("v5e", "v7x")
        def test_both(hlo_golden):
            hlo_golden.check(M, "both")

        def test_one(hlo_golden):
            hlo_golden.check(M, "one", tpu="v6e", whole=True)
    """)
    pytester.runpytest_inprocess("-q", "--strict-markers").assert_outcomes(failed=3)
    pytester.runpytest_inprocess("-q", "--hlo-golden-update").assert_outcomes(passed=3)
    result = pytester.runpytest_inprocess("-v")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*test_both?v5e?*", "*test_both?v7x?*"])
    found = sorted(p.name for p in (pytester.path / "locks").iterdir())
    assert found == ["both.v5e.lock", "both.v7x.lock", "one.v6e.golden.hlo", "one.v6e.lock"]
    monkeypatch.setenv("CI", "1")
    (pytester.path / "locks" / "one.v6e.lock").unlink()
    result = pytester.runpytest_inprocess("-q", "-kone", "--hlo-golden-update")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["--hlo-golden-update does not run*: unset CI, or update the goldens locally*"])
    result.stdout.no_fnmatch_line("*allow-ci*")
    monkeypatch.delenv("CI")
    pytester.makepyfile("def test_other(hlo_golden):\n    hlo_golden.check('HloModule m\\nENTRY e {', 'other')")
    pytester.runpytest_inprocess("-q", "--hlo-golden-update").assert_outcomes(failed=1)


def test_two_tests_of_one_name(pytester):
    pytester.makepyfile("""
        import pytest
        M = "HloModule m\\nENTRY e {\\n  ROOT p = f32[%d,200] parameter(0)\\n}\\n"

        @pytest.mark.parametrize("n", [1, 1, 2])
        def test_size(hlo_golden, n):
            hlo_golden.check(M % n, "p", tpu="v5e")

        def test_same(hlo_golden):
            hlo_golden.check(M % 1, "p", tpu="v5e", whole=True)
    """)
    result = pytester.runpytest_inprocess("-q", "--hlo-golden-update")
    result.assert_outcomes(passed=3, failed=1)
    test = "test_two_tests_of_one_name.py::test_size"
    result.stdout.fnmatch_lines([f"p.v5e: {test}*2* would write another golden than {test}*1* has: *"])
    result.stdout.no_fnmatch_line("To accept*")
    found = sorted(p.name for p in (pytester.path / "golden").iterdir())
    assert found == ["p.v5e.golden.hlo", "p.v5e.lock"]
    pytester.runpytest_inprocess("-q").assert_outcomes(passed=3, failed=1)
