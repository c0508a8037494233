"""Asks the real programs: XLA's parser and printer (jaxlib) and the TPU compiler (libtpu, ahead of time: no TPU needed).

    ask.py TPU DIR      TPU is v5e or v6e

For each NAME.hlo of DIR it writes
    NAME.xla      what XLA prints after parsing the text, or
    NAME.refused  what XLA says against it;
    NAME.before   the module that enters libtpu's layout assignment, and
    NAME.after    the module that leaves it, or
    NAME.failed   what the compiler says against the module.
"""
import glob, os, shutil, sys

TOPOLOGY = {"v5e": "v5e:2x2", "v6e": "v6e:2x2"}
BEFORE = ".Layout_assignment.after_pipeline-start.before_layout-assignment.txt"
AFTER = ".Layout_assignment.after_layout-assignment.before_pipeline-end.txt"


def main(tpu, folder):
    dumps = os.path.join(folder, "dumps")
    os.makedirs(dumps)
    os.environ.update(  # before libtpu is loaded, which reads them once
        TPU_SKIP_MDS_QUERY="1", TPU_ACCELERATOR_TYPE="v5litepod-4", TPU_WORKER_HOSTNAMES="localhost", TPU_WORKER_ID="0",
        ALLOW_MULTIPLE_LIBTPU_LOAD="1", JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3", TPU_STDERR_LOG_LEVEL="3", TPU_MIN_LOG_LEVEL="3",
        XLA_FLAGS=f"--xla_dump_to={dumps} --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=layout-assignment")
    import jaxlib.mlir.ir, jax.experimental.topologies  # once: the children start with them
    for path in sorted(glob.glob(os.path.join(folder, "*.hlo"))):
        child = os.fork()  # for both programs abort on some texts
        if child == 0:
            ask(tpu, path, dumps)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        stem = path[:-len(".hlo")]
        if os.WIFSIGNALED(status):
            write(stem + (".failed" if os.path.exists(stem + ".xla") else ".refused"), f"aborted with signal {os.WTERMSIG(status)}")
        for ending, pattern in ((".before", BEFORE), (".after", AFTER)):
            found = sorted(f for f in os.listdir(dumps) if f.endswith(pattern))
            if found:  # the first module is the program; parts for other cores come later
                shutil.copy(os.path.join(dumps, found[0]), stem + ending)
        shutil.rmtree(dumps)
        os.makedirs(dumps)


def ask(tpu, path, dumps):
    import numpy as np
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client as xc
    from jax.experimental import topologies
    from jaxlib import _hlo
    from jaxlib.mlir import ir
    stem = path[:-len(".hlo")]
    try:
        module = _hlo.hlo_module_from_text(open(path).read())
    except Exception as e:
        return write(stem + ".refused", str(e))
    write(stem + ".xla", module.to_string())
    try:
        text = xc._xla.mlir.xla_computation_to_mlir_module(_hlo.XlaComputation(module.as_serialized_hlo_module_proto()))
        device = topologies.get_topology_desc(platform="tpu", topology_name=TOPOLOGY[tpu]).devices[0]
        options = xc.CompileOptions()
        options.device_assignment = xc.DeviceAssignment.create(np.array([[device.id]]))
        with mlir.make_ir_context():
            device.client.compile(ir.Module.parse(text), xc._xla.DeviceList((device,)), options)
    except Exception as e:
        write(stem + ".failed", str(e))


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


main(*sys.argv[1:])
