#!/usr/bin/env python3
"""Compiles the programs of programs/*.py ahead of time with libtpu and keeps what each stage of the compiler holds.

  python3 -m venv VENV && VENV/bin/pip install -r .ci/worth/requirements.txt
  VENV/bin/python .ci/worth/compile.py OUT [--tpu v5e] [--only REGEX] [--redo]

No TPU is needed. OUT, a folder outside of the repository, gets OUT/TPU/FAMILY/PROGRAM with

  lowered.hlo      jax.jit(f).lower(...).as_text("hlo")
  unoptimized.hlo  the compiler's dump before optimizations
  before.hlo       the module entering layout assignment
  after.hlo        the module leaving it
  final.hlo        the optimized module
  error.txt        instead of them, where the compiler refuses the program

About one second a program: each is compiled in a forked child, which is ended when the optimized module is written.
"""
import argparse, importlib, os, pathlib, re, shutil, signal, sys, time

HERE = pathlib.Path(__file__).resolve().parent
TOPOLOGY = {"v2": "v2:2x2", "v3": "v3:2x2", "v4": "v4:2x2x1", "v5e": "v5e:2x2", "v5p": "v5p:2x2x1", "v6e": "v6e:2x2",
            "v7x": "tpu7x:2x2x1"}
EIGHT = {"v2": "v2:4x2", "v3": "v3:4x2", "v4": "v4:2x2x2", "v5e": "v5e:2x4", "v5p": "v5p:2x2x2", "v6e": "v6e:2x4",
         "v7x": "tpu7x:2x2x2"}
STAGES = {"unoptimized.hlo": r"\.before_optimizations\.txt$",
          "before.hlo": r"after_pipeline-start\.before_layout-assignment\.txt$",
          "after.hlo": r"after_layout-assignment\.before_pipeline-end\.txt$",
          "final.hlo": r"\.after_optimizations\.txt$"}
LAST = re.compile(r"\.after_optimizations_after_buffer_assignment\.txt$")


def environment(dump):
    """Sets what libtpu and XLA read when they are loaded."""
    os.environ.update(TPU_SKIP_MDS_QUERY="1", TPU_ACCELERATOR_TYPE="v5litepod-4", TPU_WORKER_HOSTNAMES="localhost",
                      TPU_WORKER_ID="0", TF_CPP_MIN_LOG_LEVEL="2", JAX_PLATFORMS="cpu", ALLOW_MULTIPLE_LIBTPU_LOAD="1",
                      XLA_FLAGS=f"--xla_dump_to={dump} --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=layout-assignment")


def devices(tpu, n):
    """The first n chips of the smallest topology that has them."""
    from jax.experimental import topologies
    found = topologies.get_topology_desc(platform="tpu", topology_name=TOPOLOGY[tpu]).devices
    if n > len(found):
        found = topologies.get_topology_desc(platform="tpu", topology_name=EIGHT[tpu]).devices
    return found[:n]


def child(program, tpu, dump):
    """Lowers and compiles one program; the compiler writes its dumps to the folder `dump`."""
    log = os.open(f"{dump}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1), os.dup2(log, 2)
    environment(dump)
    try:
        lowered = program.lower(lambda n: devices(tpu, n))
        pathlib.Path(f"{dump}.lowered").write_text(scrub(lowered.as_text("hlo")))
        lowered.compile()
    except BaseException as e:
        pathlib.Path(f"{dump}.error").write_text(f"{type(e).__name__}: {e}")
    os._exit(0)


def scrub(text):
    """The text without local paths."""
    return re.sub(r"/(?:work|root|tmp|usr|home)/[\w./+-]*/", "", text)


def module_of(dump, program):
    """The start of the dump files of a program, "" while there is none. JAX may compile small modules besides it."""
    for name in os.listdir(dump):
        if re.search(rf"\.jit_{program.name}\.", name) and re.search(STAGES["unoptimized.hlo"], name):
            return name.split(".")[0] + "."
    return ""


def run(program, tpu, out, limit=180):
    """Compiles one program; returns "" or what went wrong."""
    folder = out / tpu / program.family / program.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    dump = folder / "dump"
    dump.mkdir()
    start = time.time()
    pid = os.fork()
    if pid == 0:
        child(program, tpu, str(dump))
    while not os.waitpid(pid, os.WNOHANG)[0]:
        module = module_of(dump, program)
        if time.time() - start > limit or module and any(f.startswith(module) and LAST.search(f) for f in os.listdir(dump)):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            break
        time.sleep(.05)
    module, missing = module_of(dump, program), []
    for name, pattern in STAGES.items():
        found = sorted(f for f in os.listdir(dump) if module and f.startswith(module) and re.search(pattern, f))
        if found:
            (folder / name).write_text(scrub((dump / found[-1]).read_text(errors="replace")), errors="replace")
        else:
            missing.append(name)
    if (folder / "dump.lowered").exists():
        (folder / "dump.lowered").rename(folder / "lowered.hlo")
    problem = ""
    if missing:
        error = folder / "dump.error"
        problem = error.read_text() if error.exists() else f"no {', '.join(missing)} in {limit} s"
        (folder / "error.txt").write_text(problem)
    for extra in ("dump.error", "dump.log"):
        (folder / extra).unlink(missing_ok=True)
    shutil.rmtree(dump)
    return problem


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out", type=pathlib.Path)
    p.add_argument("--tpu", default="v5e", choices=TOPOLOGY)
    p.add_argument("--only", default="", help="only programs whose FAMILY/NAME matches")
    p.add_argument("--redo", action="store_true", help="compile again what is there")
    a = p.parse_args()
    environment("/nonexistent")
    sys.path.insert(0, str(HERE))
    import program as registry
    for path in sorted((HERE / "programs").glob("*.py")):
        importlib.import_module("programs." + path.stem)
    for program in registry.PROGRAMS:
        folder = a.out / a.tpu / program.family / program.name
        if not re.search(a.only, f"{program.family}/{program.name}"):
            continue
        if not a.redo and ((folder / "final.hlo").exists() or (folder / "error.txt").exists()):
            continue
        start = time.time()
        problem = run(program, a.tpu, a.out.resolve())
        print(f"{program.family}/{program.name} {time.time() - start:.1f} s {problem[:300]}", flush=True)


if __name__ == "__main__":
    main()
