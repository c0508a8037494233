"""Optimizers and steps of training."""
import jax
import jax.numpy as jnp
from jax import lax

from program import adam, moments, program, training

PARAMS = {"w": "f32[1024,4096]", "v": "f32[4096,1024]", "b": "f32[4096]", "conv": "f32[3,3,64,128]", "heads": "f32[1024,16,64]"}


@program(PARAMS, moments(PARAMS), PARAMS, donate_argnums=(0, 1))
def adam_update(params, state, grads):
    return adam(params, state, grads)


@program(PARAMS, PARAMS, PARAMS, donate_argnums=(0, 1))
def momentum_clipped(params, m, grads):
    norm = jnp.sqrt(sum(jnp.square(g).sum() for g in jax.tree.leaves(grads)))
    m = jax.tree.map(lambda m, g: .9 * m + g * jnp.minimum(1., 1. / norm), m, grads)
    return jax.tree.map(lambda p, m: p - .1 * m, params, m), m


@program("f32[2048,512]", "f32[2048]", "f32[512]", "f32[2048,512]", donate_argnums=(0, 1, 2))
def adafactor(p, row, column, g):
    g2 = jnp.square(g) + 1e-30
    row, column = .99 * row + .01 * g2.mean(1), .99 * column + .01 * g2.mean(0)
    u = g * lax.rsqrt(row / row.mean())[:, None] * lax.rsqrt(column)[None]
    return p - 1e-3 * u / jnp.maximum(1., jnp.sqrt(jnp.square(u).mean())), row, column


@program("f32[512,2048]", "f32[512,2048]", "f32[512,2048]", donate_argnums=(0, 1))
def muon(p, m, g):
    m = .95 * m + g
    x = (m / (jnp.linalg.norm(m) + 1e-7)).astype(jnp.bfloat16)
    for _ in range(5):
        a = x @ x.T
        x = 3.4445 * x + (-4.775 * a + 2.0315 * a @ a) @ x
    return p - .02 * x.astype(p.dtype), m


@program("f32[300,200]", "f32[300,300]", "f32[200,200]", "f32[300,200]")
def shampoo_statistics(p, left, right, g):
    left, right = left + g @ g.T, right + g.T @ g
    return p - .1 * left @ g @ right, left, right


@program({"w": "bf16[512,512]", "b": "bf16[512]"}, {"w": "f32[512,512]", "b": "f32[512]"}, "bf16[8,128,512]", "bf16[8,128,512]")
def accumulated_gradients(params, zero, x, y):
    def loss(p, x, y):
        return jnp.square(jnp.tanh(x @ p["w"] + p["b"]) - y).astype(jnp.float32).mean()

    def step(acc, xy):
        return jax.tree.map(lambda a, g: a + g.astype(a.dtype), acc, jax.grad(loss)(params, *xy)), None
    return lax.scan(step, zero, (x, y))[0]


@program(PARAMS, PARAMS)
def lion(params, m):
    return jax.tree.map(lambda p, m: p - 1e-4 * jnp.sign(.9 * m + .1 * p) - 1e-3 * p, params, m)


@program(PARAMS, "f32[]")
def weight_average(params, decay):
    return jax.tree.map(lambda p: p * decay + jnp.roll(p, 1, 0) * (1 - decay), params)


@training({"a": "f32[10,64,64]", "b": "f32[10,64]"}, "f32[10,32,64]", "f32[10,32,64]")
def ensemble_step(p, x, y):
    return jnp.square(jax.vmap(lambda a, b, x: jnp.sin(x @ a + b))(p["a"], p["b"], x) - y).mean()


@training({"w": "f32[256,256]"}, "f32[5,25,256]", "f32[5,25,256]")
def meta_step(p, x, y):
    loss = lambda w, x, y: jnp.square(jnp.tanh(x @ w) - y).mean()
    inner = lambda x, y: loss(p["w"] - .1 * jax.grad(loss)(p["w"], x, y), x, y)
    return jax.vmap(inner)(x, y).mean()


@program("f32[128,784]", "f32[784,256]", "f32[256,10]", "s32[128]")
def per_example_norms(x, w1, w2, y):
    def loss(w, x, y):
        return -jax.nn.log_softmax(jax.nn.relu(x @ w[0]) @ w[1])[y]
    grads = jax.vmap(jax.grad(loss), (None, 0, 0))((w1, w2), x, y)
    return jnp.sqrt(sum(jnp.square(g).sum((1, 2)) for g in grads))


@program("f32[784,128]", "f32[128,10]", "f32[64,784]", "f32[64,10]")
def hessian_vector(w1, w2, x, y):
    loss = lambda w: jnp.square(jnp.tanh(x @ w[0]) @ w[1] - y).mean()
    return jax.jvp(jax.grad(loss), ((w1, w2),), ((jnp.ones_like(w1), w2),))[1]
