import dataclasses
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import hlolayout
from hlolayout import _run

jax = pytest.importorskip("jax")


@pytest.fixture(scope="session")
def text(modules):
    return (modules / "merge_heads.hlo").read_text()


def test_forms_of_modules():
    lowered = jax.jit(lambda x, y: (x @ y).T).lower(jax.numpy.ones((4, 8)), jax.numpy.ones((8, 16)))
    computation = lowered.compiler_ir("hlo")
    Path("m.hlo").write_text(lowered.as_text("hlo"))
    proto = computation.as_serialized_hlo_module_proto()
    message = type("HloModuleProto", (), {"SerializeToString": lambda _: proto})()
    one_line = lowered.as_text("hlo").replace("\n", " ")
    forms = [lowered, lowered.as_text(), lowered.as_text("hlo"), proto, message, "m.hlo", Path("m.hlo"), computation]
    forms += [computation.get_hlo_module(), one_line] if hasattr(computation, "get_hlo_module") else [one_line]
    for x in forms:
        found = hlolayout.stats(x, tpu="v5e")
        assert (found.stage, found.values, found.padded_bytes) == ("lowered", 3, 8192), x
    with pytest.warns(hlolayout.HLOWarning, match="foreign module"):  # compiled for the CPU
        assert hlolayout.stats(lowered.compile()).stage == "foreign"
    assert "metadata" in hlolayout.assign(lowered).text  # lines of the program
    for of_bytes in (bytearray, memoryview):
        assert hlolayout.stats(of_bytes(proto), tpu="v5e").values == 3
    for x in (None, 3, ["HloModule m\n"]):
        with pytest.raises(TypeError, match="expected HLO text"):
            hlolayout.stats(x)
    with pytest.raises(TypeError, match="give what its method lower returns"):
        hlolayout.stats(jax.jit(lambda x: x))


def test_results(modules, text):
    scheduled = modules / "memory" / "v5e.mlp_fwd.pre_msa.hlo"
    assigned = hlolayout.assign(text, tpu="v5e")
    assert "{2,3,1,0:T(8,128)} parameter(0)" in str(assigned) and "v5e" in assigned.notes and assigned.cost is None
    pinned = hlolayout.assign(text, tpu="v5e", entry={"param 0": "{3,2,1,0}"})
    assert pinned.cost and pinned.cost.copies_added[0].from_ == "f32[2,40,4,32]{3,1,2,0:T(8,128)}"
    why = hlolayout.explain(text, "%copy.1")[0]
    assert why.chain[0].rule_name == "repair-reshape"
    every = hlolayout.explain_all(text).arrays
    at = next(a for a in every if a.value == "%copy.1")
    assert (at.rule_name, at.cause, at.shape) == ("repair-reshape", why.chain[-1].rule_name, why.shape)
    assert hlolayout.stats(text, tpu="v7x").tpu == "v7x"
    assert hlolayout.lint(text, flags=["--set=TPL001.min_bytes=1"]).cases[0].findings[0].rule == "TPL001"
    assert max(s.peak_bytes for s in hlolayout.memory(scheduled, "v5e").spaces) > 0
    assert hlolayout.diff(text, text).same
    assert hlolayout.diff(text, assigned.text).verdict.kind == "layouts changed"
    assert hlolayout.report(text).html.startswith("<!")
    with pytest.raises(dataclasses.FrozenInstanceError):
        hlolayout.stats(text).values = 0


def test_folders(text):
    for folder, modules in {"one": [text], "two": [text, text.replace("HloModule ", "HloModule other_")]}.items():
        Path(folder).mkdir()
        for i, module in enumerate(modules):
            Path(folder, f"{i}.hlo").write_text(module)
    assert hlolayout.diff("one", "one").same
    assert [d.same for d in hlolayout.diff_all("two", "two")] == [True, True]
    assert [(d.old, d.verdict.kind) for d in hlolayout.diff_all("two", "one")] == [
        ("two/1.hlo", "one side only"),
        ("two/0.hlo", "same"),
    ]
    with pytest.raises(hlolayout.HLOError, match="name two modules") as e:
        hlolayout.diff("two", "two")
    assert e.value.message == str(e.value)


def test_check(text):
    assert hlolayout.check(text, "golden", "m", "v5e").cases[0].findings[0].rule == "CHK001"
    assert hlolayout.check(text, "golden", "m", "v5e", update=True).counts.errors == 0
    assert hlolayout.check(text, "golden", "m", "v7x").cases[0].findings[0].rule == "CHK002"
    assert [p.name for p in Path("golden").iterdir()] == ["m.lock"]
    hlolayout.check(text, "golden", "m", "v5e", update=True, whole=True)
    assert sorted(p.name for p in Path("golden").iterdir()) == ["m.golden.hlo", "m.lock"]


@pytest.mark.parametrize(
    "x, options, code, place, message",
    [
        ("HloModule m\nENTRY e {\n", {}, "HLO006", (2, 10), "the module is cut"),
        ("HloModule m\nENTRY e {\n  ROOT y = f32[2] add(q, q)\n}\n", {}, "HLO010", (3, 23), 'no instruction "q"'),
        ("none.hlo", {}, None, (None, None), "no such file or directory"),
        ("-x.hlo", {}, None, (None, None), "no such file or directory"),
        ("HloModule m\n", {"tpu": "v99"}, None, (None, None), 'unknown TPU generation "v99"'),
        ("HloModule m\n", {"flags": ["--none"]}, None, (None, None), "unknown flag --none"),
    ],
)
def test_errors(x, options, code, place, message):
    with pytest.raises(hlolayout.HLOError) as e:
        hlolayout.stats(x, **options)
    assert (e.value.code, (e.value.line, e.value.column)) == (code, place), str(e.value)
    assert message in e.value.message and message in str(e.value)


def test_files_that_flags_name(text):
    """They are relative to the current directory, whether the module is a text or a path."""
    Path("m.hlo").write_text(text)
    for x in (text, "m.hlo"):
        hlolayout.lint(x, flags=["--set=TPL004.min_bytes=1", "--baseline=accepted.json", "--update-baseline"])
        flags = ["--set", "TPL004.min_bytes=1", "--baseline", "accepted.json", "--output", "sarif=found.sarif"]
        assert hlolayout.lint(x, flags=flags).cases[0].accepted == 1
        for name in ("accepted.json", "found.sarif"):
            Path(name).unlink()
    usage = re.findall(r"^   --?([a-z-]+)(?:=\S+)? (?:FILE|LIST|DIRECTORY|FORMAT=PATH)\b", _help(), re.MULTILINE)
    assert {*usage} - {"budget", "diff"} == _run._FILE_FLAGS


def _help():
    commands = ("assign", "explain", "stats", "lint", "memory", "report", "diff", "check", "oom", "sweep")
    commands += ("extract", "score")
    return "\n".join(_run.run([command, "--help"], None)[0] for command in commands)


def test_arguments(text):
    assert hlolayout.stats(text, flags=["--module", 0]).values == 3
    with pytest.raises(TypeError, match=r"write \['--top=1'\]"):
        hlolayout.stats(text, flags="--top=1")
    for name in ("", "..", "a/b", os.path.abspath("golden")):
        with pytest.raises(ValueError, match="without a folder"):
            hlolayout.check(text, "golden", name, update=True)
    assert set(hlolayout.__all__) <= set(dir(hlolayout))


@pytest.mark.parametrize("flag", ["--help", "-h", "--format=text", "--format", "--version"])
def test_flags_that_change_what_is_printed(text, flag):
    for function in (hlolayout.stats, hlolayout.assign, hlolayout.report):
        with pytest.raises(ValueError, match="changes what is printed"):
            function(text, flags=[flag])


def test_text_among_json():
    with pytest.raises(ValueError, match="expected JSON, found 'NAME:': flags are not to"):
        list(_run.documents(hlolayout.Stats, "NAME:\n  stats\n"))


def test_several_modules(text):
    two = text + text.replace("HloModule ", "HloModule other_")
    with pytest.raises(ValueError, match=r"found 2: choose one with flags=\['--module=0'\]: 0 jit_\w+, 1 other_jit_"):
        hlolayout.stats(two)
    assert hlolayout.stats(two, flags=["--module=1"]).module.startswith("other_")
    Path("d").mkdir()
    for i in range(2):
        Path("d", f"{i}.hlo").write_text(text)
    with pytest.raises(ValueError, match=r"give one of the files: d/0.hlo \(jit_\w+\), d/1.hlo"):
        hlolayout.stats("d")


def test_stablehlo_files():
    lowered = jax.jit(lambda x, y: x @ y).lower(jax.numpy.ones((4, 8)), jax.numpy.ones((8, 16)))
    Path("m.mlir").write_text(lowered.as_text())
    for x in ("m.mlir", Path("m.mlir")):
        assert hlolayout.stats(x, tpu="v5e").stage == "lowered"
        assert hlolayout.check(x, "golden", "m", update=True).counts.errors == 0
    with pytest.raises(hlolayout.HLOError, match="no such file"):
        hlolayout.stats("none.mlir")


def test_stablehlo_without_jaxlib(monkeypatch):
    text = jax.jit(lambda x: x + 1).lower(jax.numpy.ones(4)).as_text()
    monkeypatch.setitem(sys.modules, "jaxlib.xla_client", None)
    with pytest.raises(ImportError, match="StableHLO text needs jaxlib"):
        hlolayout.stats(text)


def test_more_functions(text):
    cut = hlolayout.extract(text, "%transpose.1", radius=0)
    assert cut.startswith("HloModule ") and "%transpose.1" in cut and "ROOT %transpose.1 = " in cut
    with pytest.raises(hlolayout.HLOError, match="none"):
        hlolayout.extract(text, "%none")
    swept = hlolayout.sweep(text, "v5e", flags=["--runs", 5])
    assert [t.tpu for t in swept.tried] == ["v5e"] and swept.rows[0].flags[0] == "--tpu=v5e"
    assert len(hlolayout.sweep(text, flags=["--runs=1"]).tried) > 1
    assigned = hlolayout.assign(text, "v5e").text
    with pytest.raises(hlolayout.HLOError, match="has its layouts already"):
        hlolayout.sweep(assigned)
    assert hlolayout.oom(text, "v5e").verdict == "fits"
    message = "RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 20.00G of 15.75G hbm."
    for x in (RuntimeError(message), message + "\n"):
        found = hlolayout.oom(x)
        assert (found.source, found.limit_bytes) == ("message", 63 * 2**28)
    with pytest.raises(hlolayout.HLOError, match="neither"):
        hlolayout.oom(RuntimeError("something else"))
    scored = hlolayout.score(text, assigned, "v5e")
    assert (scored.layouts.arrays, scored.layouts.layout_right, scored.misses) == (3, 3, ())
    assert hlolayout.score(assigned, assigned, spaces=True).spaces.modules == 1
    Path("d").mkdir()
    Path("d/before.hlo").write_text(text)
    Path("d/after.hlo").write_text(assigned)
    assert hlolayout.score("d", tpu="v5e").layouts == scored.layouts
    with pytest.raises(hlolayout.HLOError, match="no layouts of the compiler"):
        hlolayout.score(assigned, text)


def test_errors_after_notes(text):
    with pytest.raises(hlolayout.HLOError, match="no parameter 9") as e:
        hlolayout.assign(text, entry={"param 9": "{0}"})
    assert e.value.code == "PIN101"


def test_notebooks(text):
    page = hlolayout.report(text)
    shown = page._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts" srcdoc="&lt;!') and shown.count("<") == 2
    page.save("report.html")
    assert Path("report.html").read_text() == page.html
    stats = hlolayout.stats(text.replace("jit_reshape_merge_heads", '"<b>&"'))
    small = stats._repr_html_()
    assert small.count("<table>") == 2 and "<b>&" not in small and "f32[2,40,4,32]" in small
    large = dataclasses.replace(stats, arrays=stats.arrays * 1000)._repr_html_()
    assert large.startswith('<iframe sandbox="allow-scripts"')


def test_command():
    command = subprocess.run([sys.executable, "-m", "hlolayout", "decode", "f32["], capture_output=True, text=True)
    assert command.returncode == 2 and "f32[" in command.stderr
    version = subprocess.run(["hlolayout", "--version"], capture_output=True, text=True).stdout
    from importlib.metadata import version as installed

    assert version == f"hlolayout version {installed('hlolayout')}\n"


_REDUCER = """HloModule m
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  x = f32[64,200] parameter(0)
  z = f32[] constant(0)
  y = f32[200,64] transpose(x), dimensions={1,0}
  s = f32[200] reduce(y, z), dimensions={1}, to_apply=add
  ROOT r = (f32[200,64], f32[200]) tuple(y, s)
}
"""


def test_notes_are_warnings():
    with pytest.warns(hlolayout.HLOWarning, match=r"%s is taken from %e; others of that name: %add/%s") as found:
        (why,) = hlolayout.explain(_REDUCER, "%s", simplify=False)
    assert why.computation == "e" and found[0].filename == __file__
    assert hlolayout.explain(_REDUCER, "%s")[0].shape == "f32[200]{0:T(256)}"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hlolayout.explain(_REDUCER, "%add/%s")[0].computation == "add"
        hlolayout.stats(_REDUCER)
    with pytest.warns(hlolayout.HLOWarning, match="is cut"):
        hlolayout.stats(_REDUCER[:-80], flags=["--partial"])


def test_names_of_stats_are_those_of_explain():
    def f(x, y):
        g = jax.nn.relu(x @ y).reshape(16, 8, 32).transpose(1, 0, 2)
        return jax.numpy.cumsum(g, axis=0).sum(axis=1), jax.nn.softmax(g)

    ones = jax.numpy.ones
    lowered = jax.jit(f).lower(ones((128, 64)), ones((64, 32)))
    named = [(a.shape, "%" + v.name) for a in hlolayout.stats(lowered, "v5e").arrays for v in a.values]
    assert len(named) > 5
    for shape, name in named:
        assert shape in [e.shape for e in hlolayout.explain(lowered, name, "v5e")], name
    with pytest.raises(hlolayout.HLOError, match="no value %none"):
        hlolayout.explain(lowered, "%none")


def test_types_of_arguments(text):
    device = type("Device", (), {"device_kind": "TPU v6 lite"})()
    assert hlolayout.stats(text, device).tpu == "v6e"
    with pytest.raises(TypeError, match="tpu is the name of a generation, such as 'v5e', or a TPU of jax, found 5"):
        hlolayout.stats(text, 5)
    with pytest.raises(TypeError, match="tpu is the name of a generation"):
        hlolayout.stats(text, jax.devices("cpu")[0])
    with pytest.raises(TypeError, match=r"pins is a dict, such as \{'%div.7': '\{1,0\}'\}, found a list"):
        hlolayout.assign(text, pins=["%copy.1={0,1}"])
    with pytest.raises(TypeError, match="entry is a dict"):
        hlolayout.assign(text, entry="param 0={0,1}")
