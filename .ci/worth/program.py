"""How the programs of programs/*.py are written down: a decorator for each kind, and shapes as texts such as "bf16[8,128]"."""
import functools, re

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

PROGRAMS = []
DTYPES = {"pred": "bool", "bf16": "bfloat16", "f16": "float16", "f32": "float32", "s8": "int8", "s16": "int16", "s32": "int32",
          "u8": "uint8", "u32": "uint32", "c64": "complex64", "f8e4m3fn": "float8_e4m3fn"}


class Program:
    """One program: fn of args, a tree of shapes; a mesh for programs of several devices; keywords of jax.jit."""

    def __init__(self, fn, args, mesh=None, out=None, **jit):
        self.fn, self.args, self.mesh, self.out, self.jit = fn, args, mesh, out, jit
        self.name, self.family = fn.__name__, fn.__module__.split(".")[-1]
        assert all((p.family, p.name) != (self.family, self.name) for p in PROGRAMS), self.name

    def lower(self, devices):
        """Lowers the program; devices(n) gives n devices."""
        if not self.mesh:
            one = SingleDeviceSharding(devices(1)[0])
            args = jax.tree.map(lambda s: struct(s, one), self.args)
            return jax.jit(self.fn, **self.jit).lower(*args)
        shape, names = self.mesh
        mesh = Mesh(np.array(devices(int(np.prod(shape)))).reshape(shape), names)
        args = jax.tree.map(lambda s: struct(s.shape, NamedSharding(mesh, PartitionSpec(*s.spec))), self.args)
        jit = dict(self.jit)
        if self.out is not None:
            jit["out_shardings"] = jax.tree.map(lambda s: NamedSharding(mesh, PartitionSpec(*s)), self.out,
                                                is_leaf=lambda s: isinstance(s, tuple) and all(isinstance(x, (str, type(None))) for x in s))
        fn = functools.partial(self.fn, mesh)
        fn.__name__ = self.name
        return jax.jit(fn, **jit).lower(*args)


class Placed:
    """A shape on a mesh: placed("f32[64,256]", None, "x")."""

    def __init__(self, shape, *spec):
        self.shape, self.spec = shape, spec


placed = Placed


def struct(text, sharding):
    """"bf16[8,128]" as a ShapeDtypeStruct."""
    dtype, dims = re.fullmatch(r"(\w+)\[([\d,]*)\]", text).groups()
    return jax.ShapeDtypeStruct(tuple(int(d) for d in dims.split(",") if d), jnp.dtype(DTYPES[dtype]), sharding=sharding)


def program(*args, **jit):
    """Registers a function of `args`, trees of texts, on one device; keywords are those of jax.jit."""
    return lambda fn: PROGRAMS.append(Program(fn, args, **jit)) or fn


def meshed(shape, names, *args, out=None, **jit):
    """Registers a function of a mesh and `args`, trees of placed shapes. out: PartitionSpecs of the results, as tuples."""
    return lambda fn: PROGRAMS.append(Program(fn, args, mesh=(shape, names), out=out, **jit)) or fn


def adam(params, state, grads, rate=1e-3, b1=.9, b2=.999):
    """One step of Adam; state is (count, first moments, second moments)."""
    n, m, v = state
    n = n + 1
    m = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g.astype(m.dtype), m, grads)
    v = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * jnp.square(g.astype(v.dtype)), v, grads)
    t = n.astype(jnp.float32)
    step = lambda p, m, v: (p - rate * (m / (1 - b1**t)) / (jnp.sqrt(v / (1 - b2**t)) + 1e-8)).astype(p.dtype)
    return jax.tree.map(step, params, m, v), (n, m, v)


def moments(params):
    """The shapes of Adam's state for params, a tree of texts."""
    wide = jax.tree.map(lambda s: re.sub(r"^\w+", "f32", s), params)
    return ("s32[]", wide, wide)


def training(params, *batch):
    """Registers a training step with Adam of a loss(params, *batch), the state donated."""
    def register(loss):
        def step(params, state, *batch):
            value, grads = jax.value_and_grad(loss)(params, *batch)
            return (*adam(params, state, grads), value)
        step.__name__, step.__module__ = loss.__name__, loss.__module__
        PROGRAMS.append(Program(step, (params, moments(params), *batch), donate_argnums=(0, 1)))
        return loss
    return register
