"""Runs modules on XLA's CPU backend: semantics.py DIR [TOLERANCE] runs each NAME.hlo of DIR and the NAME.assigned beside it on the same random
inputs.

Their results are equal in each bit, or within the tolerance. For each it prints NAME and equal, differs, or why it could not be run. The CPU has layouts of its own: what is compared is what the
instructions compute, copies included.
"""
import glob, os, sys


def main(folder, tolerance="0"):
    os.environ.update(JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3")
    import jax  # once: the children start with it, and make their own client
    stems = [path[:-len(".hlo")] for path in sorted(glob.glob(os.path.join(folder, "*.hlo")))]
    while stems:
        reader, writer = os.pipe()
        child = os.fork()  # XLA aborts on some modules: the next child goes on after it
        if child == 0:
            os.close(reader)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            for stem in stems:
                os.write(writer, (compare(stem, float(tolerance)) + "\n").encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as answers:
            for answer in answers:
                print(os.path.basename(stems.pop(0)), answer, end="", flush=True)
        os.waitpid(child, 0)
        if stems:
            print(os.path.basename(stems.pop(0)), "failed: aborted", flush=True)


def compare(stem, tolerance):
    try:
        before, after = run(stem + ".hlo"), run(stem + ".assigned")
    except Exception as e:
        return "failed: " + str(e).split("\n")[0][:200]
    return "equal" if all(alike(*x, tolerance) for x in zip(before, after, strict=True)) else "differs"


def alike(a, b, tolerance):
    import numpy as np
    if not tolerance:
        return a.tobytes() == b.tobytes()
    return np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


def run(path):
    import jax
    import numpy as np
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client as xc
    from jaxlib import _hlo
    from jaxlib.mlir import ir
    module = _hlo.hlo_module_from_text(open(path).read())
    computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
    text = xc._xla.mlir.xla_computation_to_mlir_module(computation)
    device = jax.devices()[0]
    with mlir.make_ir_context():
        program = device.client.compile_and_load(ir.Module.parse(text), xc._xla.DeviceList((device,)), xc.CompileOptions())
    random = np.random.default_rng(7)
    inputs = []
    for shape in computation.program_shape().parameter_shapes():
        dtype = shape.numpy_dtype()
        values = random.integers(0, 2 if dtype == bool else 8, shape.dimensions())
        if np.issubdtype(dtype, np.floating) or dtype.name == "bfloat16":
            values = random.standard_normal(shape.dimensions())
        inputs.append(jax.device_put(np.asarray(values).astype(dtype), device))
    return [np.asarray(x) for x in program.execute(inputs)]


main(*sys.argv[1:])
