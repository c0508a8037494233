"""Programs on meshes of 4 and 8 devices: data, fully sharded data, tensor, expert, sequence and pipeline parallel."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

from program import adam, meshed, placed


def keep(mesh, x, *spec):
    return lax.with_sharding_constraint(x, NamedSharding(mesh, P(*spec)))


def mlp(p, x):
    return jax.nn.gelu(x @ p["up"]) @ p["down"]


def trained(loss):
    """A step of Adam on a loss(mesh, params, *batch)."""
    def step(mesh, params, state, *batch):
        value, grads = jax.value_and_grad(lambda p: loss(mesh, p, *batch))(params)
        return (*adam(params, state, grads), value)
    step.__name__, step.__module__ = loss.__name__, loss.__module__
    return step


def state(params):
    return (placed("s32[]"), params, params)


def specs(tree):
    return jax.tree.map(lambda p: p.spec, tree)


def step(shape, names, params, *batch, out=True):
    """Registers a step of training, the state donated; with out its results are sharded as its arguments."""
    out = (specs(params), specs(state(params)), ()) if out else None
    return lambda loss: meshed(shape, names, params, state(params), *batch, out=out, donate_argnums=(0, 1))(trained(loss))


REPLICATED = {"up": placed("f32[256,1024]"), "down": placed("f32[1024,256]")}
ZERO = {"up": placed("f32[256,1024]", "x"), "down": placed("f32[1024,256]", "x")}
TENSOR = {"up": placed("f32[256,1024]", None, "x"), "down": placed("f32[1024,256]", "x", None)}
BOTH = {"up": placed("f32[256,1024]", "d", "x"), "down": placed("f32[1024,256]", "x", "d")}


@step((4,), ("x",), REPLICATED, placed("f32[64,256]", "x"))
def data_parallel(mesh, p, x):
    return jnp.square(mlp(p, x)).mean()


@step((8,), ("x",), REPLICATED, placed("f32[64,32,256]", "x"), out=False)
def data_parallel_free_results(mesh, p, x):
    return jnp.square(mlp(p, x)).mean()


@step((8,), ("x",), ZERO, placed("f32[64,256]", "x"))
def fully_sharded(mesh, p, x):
    return jnp.square(mlp(p, x)).mean()


@step((4,), ("x",), ZERO, placed("f32[64,256]", "x"), out=False)
def fully_sharded_free_results(mesh, p, x):
    return jnp.square(mlp(p, x)).mean()


@step((4,), ("x",), TENSOR, placed("f32[64,256]"))
def tensor_parallel(mesh, p, x):
    return jnp.square(mlp(p, x)).mean()


@step((2, 4), ("d", "x"), BOTH, placed("f32[64,128,256]", "d"))
def data_and_tensor(mesh, p, x):
    h = keep(mesh, jax.nn.gelu(x @ p["up"]), "d", None, "x")
    return jnp.square(h @ p["down"]).mean()


@step((2, 2), ("d", "x"), BOTH, placed("f32[64,128,256]", "d", "x"), out=False)
def sequence_and_tensor(mesh, p, x):
    h = keep(mesh, jax.nn.gelu(x @ p["up"]), "d", None, "x")
    return jnp.square(keep(mesh, h @ p["down"], "d", "x", None)).mean()


@step((4,), ("x",), {k: placed(v.shape.replace("[", "[6,"), None, *v.spec) for k, v in ZERO.items()}, placed("f32[64,256]", "x"))
def fully_sharded_scan(mesh, p, x):
    x, _ = lax.scan(jax.checkpoint(lambda x, p: (x + mlp(p, x), None)), x, p)
    return jnp.square(x).mean()


@step((2, 4), ("d", "x"), {"embed": placed("f32[8192,512]", "x", "d"), "qkv": placed("f32[512,3,8,64]", "d", None, "x", None),
                           "out": placed("f32[8,64,512]", "x", None, "d")}, placed("s32[8,129]", "d"))
def decoder(mesh, p, tokens):
    x = keep(mesh, p["embed"][tokens[:, :-1]], "d")
    q, k, v = jnp.moveaxis(jnp.einsum("btd,dchk->bcthk", x, p["qkv"]), 1, 0)
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 8
    y = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((128, 128), bool)), s, -1e9)), v)
    x = x + jnp.einsum("bthk,hkd->btd", y, p["out"])
    logp = jax.nn.log_softmax(x @ p["embed"].T)
    return -jnp.take_along_axis(logp, tokens[:, 1:, None], -1).mean()


@meshed((4,), ("x",), placed("f32[64,256]", None, "x"), placed("f32[256,128]", "x"))
def contracted_matmul(mesh, a, b):
    return a @ b


@meshed((8,), ("x",), placed("bf16[512,1024]", "x"), placed("bf16[1024,4096]", None, "x"), out=("x", None))
def gathered_matmul(mesh, a, b):
    return a @ b


@meshed((2, 4), ("a", "b"), placed("bf16[512,1024]", "a", "b"), placed("bf16[1024,2048]", "b", "a"))
def matmul_of_blocks(mesh, a, b):
    return a @ b, (a @ b).T


@meshed((4,), ("x",), placed("bf16[8,1024,16,64]", None, "x"), placed("bf16[8,1024,16,64]", None, "x"),
        placed("bf16[8,1024,16,64]", None, "x"))
def sequence_parallel_attention(mesh, q, k, v):
    k, v = keep(mesh, k), keep(mesh, v)
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k).astype(jnp.float32)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(s / 8).astype(v.dtype), v)


@meshed((8,), ("x",), placed("bf16[2,1024,16,64]", None, None, "x"), placed("bf16[2,1024,16,64]", None, None, "x"),
        placed("bf16[2,1024,16,64]", None, None, "x"), placed("bf16[16,64,1024]", "x"), out=())
def head_parallel_attention(mesh, q, k, v, o):
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k).astype(jnp.float32)
    return jnp.einsum("bhqk,bkhd,hdm->bqm", jax.nn.softmax(s / 8).astype(v.dtype), v, o)


@meshed((4,), ("x",), placed("f32[4,2048,64]", None, "x"), placed("f32[4,2048,64]", None, "x"), placed("f32[4,2048,64]", None, "x"))
def ring_attention(mesh, q, k, v):
    def ring(q, k, v):
        def turn(_, c):
            m, l, acc, k, v = c
            s = jnp.einsum("bqd,bkd->bqk", q, k)
            new = jnp.maximum(m, s.max(-1))
            p, scale = jnp.exp(s - new[..., None]), jnp.exp(m - new)
            k, v = (lax.ppermute(t, "x", [(i, (i + 1) % 4) for i in range(4)]) for t in (k, v))
            return new, l * scale + p.sum(-1), acc * scale[..., None] + jnp.einsum("bqk,bkd->bqd", p, v), k, v
        start = (q.sum(-1) * 0 - 1e9, q.sum(-1) * 0, q * 0, k, v)
        _, l, acc, _, _ = lax.fori_loop(0, 4, turn, start)
        return acc / l[..., None]
    return jax.shard_map(ring, mesh=mesh, in_specs=P(None, "x"), out_specs=P(None, "x"))(q, k, v)


@meshed((8,), ("x",), placed("f32[8,512,256]", "x"), placed("f32[8,256,512]", "x"), placed("f32[8,512,256]", "x"))
def expert_all_to_all(mesh, x, up, down):
    def work(x, up, down):
        h = lax.all_to_all(x, "x", 1, 0, tiled=True).reshape(1, -1, 256)
        h = jnp.einsum("enf,efd->end", jax.nn.gelu(jnp.einsum("end,edf->enf", h, up)), down)
        return lax.all_to_all(h.reshape(8, -1, 256), "x", 0, 1, tiled=True)
    return jax.shard_map(work, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(x, up, down)


@step((4,), ("x",), {"router": placed("f32[256,8]"), "up": placed("f32[8,256,512]", "x"), "down": placed("f32[8,512,256]", "x")},
      placed("f32[1024,256]", "x"))
def expert_parallel(mesh, p, x):
    weight, expert = lax.top_k(jax.nn.softmax(x @ p["router"]), 2)
    one = jax.nn.one_hot(expert, 8)
    place = (jnp.cumsum(one.reshape(-1, 8), 0) - 1).reshape(one.shape)
    dispatch = (jax.nn.one_hot(place, 256) * one[..., None]).sum(1)
    h = keep(mesh, jnp.einsum("nec,nd->ecd", dispatch, x), "x")
    h = jnp.einsum("ecf,efd->ecd", jax.nn.gelu(jnp.einsum("ecd,edf->ecf", h, p["up"])), p["down"])
    return jnp.square(jnp.einsum("nec,ecd->nd", dispatch * weight.sum(1)[:, None, None], h)).mean()


@step((8,), ("x",), {"w1": placed("f32[3,3,3,64]"), "w2": placed("f32[3,3,64,64]"), "head": placed("f32[64,10]")},
      placed("f32[64,32,32,3]", "x"), placed("s32[64]", "x"))
def convolutions_data_parallel(mesh, p, x, y):
    for w in (p["w1"], p["w2"]):
        x = jax.nn.relu(lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
    return -jax.nn.log_softmax(x.mean((1, 2)) @ p["head"])[jnp.arange(64), y].mean()


@meshed((4,), ("x",), placed("f32[8,128,128,16]", None, "x"), placed("f32[3,3,16,32]"))
def spatial_convolution(mesh, x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@meshed((8,), ("x",), placed("f32[65536,64]", "x"), placed("s32[1024,26]", "x"))
def sharded_embedding(mesh, table, ids):
    return table[ids].sum(1)


@meshed((2, 4), ("d", "x"), placed("f32[65536,64]", "x"), placed("s32[4096]", "d"), placed("f32[4096,64]", "d"), donate_argnums=(0,))
def sharded_scatter(mesh, table, ids, rows):
    return keep(mesh, table.at[ids].add(rows), "x")


@meshed((4,), ("x",), placed("bf16[8,1024]"), placed("bf16[1024,16,64]", None, "x"), placed("bf16[16,64,1024]", "x"),
        placed("bf16[8,512,16,64]", None, None, "x"), placed("bf16[8,512,16,64]", None, None, "x"), placed("s32[]"),
        donate_argnums=(3, 4))
def tensor_parallel_decoding(mesh, x, wq, wo, k, v, at):
    q = jnp.einsum("bd,dhk->bhk", x, wq)
    k, v = (lax.dynamic_update_slice(c, q[:, None], (0, at, 0, 0)) for c in (k, v))
    a = jax.nn.softmax(jnp.einsum("bhk,bthk->bht", q, k).astype(jnp.float32)).astype(x.dtype)
    return jnp.einsum("bht,bthk,hkd->bd", a, v, wo), k, v


@meshed((4,), ("x",), placed("f32[64,1000,33]", "x"), placed("f32[33,7]"))
def reductions(mesh, x, w):
    return x.sum(0), x.max(1), jnp.argsort(x, 1), (x @ w).T, x.mean((0, 1))


@meshed((2, 2, 2), ("a", "b", "c"), placed("f32[64,128,256]", "a", "b", "c"), placed("f32[256,512]", "c", ("a", "b")))
def three_axes(mesh, x, w):
    return keep(mesh, x @ w, "a", "b", "c"), x.transpose(2, 0, 1)


@meshed((8,), ("x",), placed("bf16[8,4,32,512]", "x"), placed("bf16[8,512,512]", "x"))
def pipeline(mesh, x, w):
    def stages(x, w):
        def tick(h, i):
            h = jnp.tanh(h @ w[0])
            return lax.ppermute(h, "x", [(i, (i + 1) % 8) for i in range(8)]), h
        return lax.scan(tick, x[0, 0], jnp.arange(11))[1][None]
    return jax.shard_map(stages, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)(x, w)


@meshed((4,), ("x",), placed("f32[128,64,64]", "x"))
def sharded_fft(mesh, x):
    return jnp.abs(jnp.fft.rfft2(x)), jnp.fft.fft(x.astype(jnp.complex64), axis=1)


@meshed((8,), ("x",), placed("f32[4096,6]", "x"), placed("f32[4096,6]", "x"), out=(("x", None), ("x", None)))
def bodies(mesh, x, v):
    def body(_, s):
        x, v = s
        v = v - .01 * x + .001 * jnp.roll(x, 1, 0)
        return x + .01 * v, v
    return lax.fori_loop(0, 10, body, (x, v))


@meshed((4,), ("x",), placed("f32[1024,512]", "x"), placed("f32[1024,512]", "x"), out=((None, "x"), ("x", None), ()))
def resharded(mesh, a, b):
    return a + b, a.T @ b, a.sum()


@meshed((2, 4), ("d", "x"), placed("f32[6,1024,256]", None, "d", "x"), placed("f32[1000,250]", "d"), placed("s32[]"), placed("pred[64,64]", "x"))
def unlike_shapes(mesh, a, b, n, m):
    return a[n], b * 2, n + 1, m.T, jnp.where(m, 1., 0.)


@step((2, 4), ("d", "x"), {"embed": placed("bf16[16384,256]", "x"), "w": placed("bf16[256,256]", "d", "x")}, placed("s32[16,65]", "d"),
      out=False)
def language_model_free_results(mesh, p, tokens):
    h = jnp.tanh(p["embed"][tokens[:, :-1]] @ p["w"])
    logits = (h @ p["embed"].T).astype(jnp.float32)
    return (jax.nn.logsumexp(logits, -1) - jnp.take_along_axis(logits, tokens[:, 1:, None], -1)[..., 0]).mean()


@meshed((4,), ("x",), placed("f32[512,512]", "x"), placed("f32[512,64]"))
def iterative_solver(mesh, a, b):
    def body(_, x):
        return keep(mesh, x + .1 * (b - a @ x), "x")
    return lax.fori_loop(0, 30, body, jnp.zeros_like(b))


@meshed((8,), ("x",), {"gate": placed("bf16[1024,4096]", None, "x"), "up": placed("bf16[1024,4096]", None, "x"),
                       "down": placed("bf16[4096,1024]", "x")}, placed("bf16[4,256,1024]"))
def tensor_parallel_inference(mesh, p, x):
    return (jax.nn.silu(x @ p["gate"]) * (x @ p["up"])) @ p["down"]
