"""Compiles HLO text for a TPU generation with libtpu, up to a stage, in a child that is ended when the stage is written."""
import os, pathlib, re, shutil, signal, sys, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "worth"))


def child(text, modes, tpu, dump, worth):
    """Compiles text; modes: {"parameter" or "result": {number: layout mode}}."""
    log = os.open(f"{dump}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1), os.dup2(log, 2)
    worth.environment(dump)
    try:
        import numpy as np
        from jax._src.interpreters import mlir as jax_mlir
        from jax._src.lib import xla_client as xc
        from jaxlib import _hlo
        from jaxlib.mlir import ir
        module = _hlo.hlo_module_from_text(text)
        code = xc._xla.mlir.xla_computation_to_mlir_module(_hlo.XlaComputation(module.as_serialized_hlo_module_proto()))
        with jax_mlir.make_ir_context():
            parsed = ir.Module.parse(code)
            main = next(f for f in parsed.body.operations if ir.StringAttr(f.attributes["sym_name"]).value == "main")
            for side, attribute in (("parameter", "arg_attrs"), ("result", "res_attrs")):
                if modes.get(side):
                    old = list(ir.ArrayAttr(main.attributes[attribute])) if attribute in main.attributes else []
                    count = len(ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value).inputs if side == "parameter" else
                                ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value).results)
                    attributes = []
                    for k in range(count):
                        d = {n.name: n.attr for n in ir.DictAttr(old[k])} if k < len(old) else {}
                        d["mhlo.layout_mode"] = ir.StringAttr.get(modes[side].get(k, "default"))
                        attributes.append(ir.DictAttr.get(d))
                    main.attributes[attribute] = ir.ArrayAttr.get(attributes)
        device = worth.devices(tpu, 1)[0]
        options = xc.CompileOptions()
        options.device_assignment = xc.DeviceAssignment.create(np.array([[device.id]]))
        device.client.compile(parsed, xc._xla.DeviceList((device,)), options)
    except BaseException as e:
        pathlib.Path(f"{dump}.error").write_text(f"{type(e).__name__}: {e}")
    os._exit(0)


def compiled(text, tpu, stages, work, modes=(), limit=120):
    """The dumps of `stages`, names of worth/compile.py's STAGES, by name; {"error": why} where the compiler refuses the text."""
    import importlib
    worth = importlib.import_module("compile")
    dump = pathlib.Path(work) / "dump"
    shutil.rmtree(dump, ignore_errors=True)
    dump.mkdir(parents=True)
    error = pathlib.Path(f"{dump}.error")
    error.unlink(missing_ok=True)
    pid, start = os.fork(), time.time()
    if not pid:
        child(text, dict(modes), tpu, str(dump), worth)
    last = worth.LAST if "final.hlo" in stages else re.compile(r"after_layout-assignment\.before_pipeline-end\.txt$")
    while not os.waitpid(pid, os.WNOHANG)[0]:
        written = [dump / f for f in os.listdir(dump) if last.search(f)]
        whole = last is worth.LAST or [f for f in written if f.read_text(errors="replace").endswith("\n}\n\n")]
        if time.time() - start > limit or written and whole:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            break
        time.sleep(.02)
    out = {}
    for name in stages:
        found = sorted(f for f in os.listdir(dump) if re.search(worth.STAGES[name], f))
        if not found:
            return {"error": error.read_text() if error.exists() else "no " + name}
        out[name] = worth.scrub((dump / found[-1]).read_text(errors="replace"))
    return out
