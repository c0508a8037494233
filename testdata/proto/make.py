#!/usr/bin/env python3
"""Makes the pairs of this folder: make.py OUT IN.hlo...  needs jaxlib (../shared/oracle/requirements.txt).

OUT/NAME.pb is the HloModuleProto that XLA makes of IN/NAME.hlo, OUT/NAME.hlo what XLA prints after reading that message
back, large constants included. XLA aborts on some messages of its own; those get the print of the module as it was.
"""
import os, pathlib, sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
from jaxlib import _hlo


def make(out, path):
    name = pathlib.Path(path).stem
    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    module = _hlo.hlo_module_from_text(open(path).read())
    message = module.as_serialized_hlo_module_proto()
    (out / (name + ".pb")).write_bytes(message)
    try:
        module = _hlo.HloModule.from_serialized_hlo_module_proto(message)
    except RuntimeError:
        pass
    (out / (name + ".hlo")).write_bytes(module.to_string(options).encode("utf8", "surrogateescape"))


for path in sys.argv[2:]:
    pid = os.fork()
    if pid == 0:
        make(pathlib.Path(sys.argv[1]), path)
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        print(path, "failed", file=sys.stderr)
