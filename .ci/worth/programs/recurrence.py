"""Scans and recurrent networks."""
import jax
import jax.numpy as jnp
from jax import lax

from program import program, training


@program("f32[64,32,256]", "f32[256,1024]", "f32[256,1024]", "f32[1024]")
def lstm(x, wx, wh, b):
    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(x @ wx + h @ wh + b, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    zero = jnp.zeros((32, 256))
    return lax.scan(step, (zero, zero), x)


@training({"wx": "f32[128,384]", "wh": "f32[128,384]", "out": "f32[128,64]"}, "f32[16,40,128]", "f32[16,40,64]")
def gru_step(p, x, y):
    def step(h, x):
        xr, xz, xn = jnp.split(x @ p["wx"], 3, -1)
        hr, hz, hn = jnp.split(h @ p["wh"], 3, -1)
        z = jax.nn.sigmoid(xz + hz)
        h = (1 - z) * jnp.tanh(xn + jax.nn.sigmoid(xr + hr) * hn) + z * h
        return h, h @ p["out"]
    _, out = lax.scan(step, jnp.zeros((16, 128)), x.swapaxes(0, 1))
    return jnp.square(out.swapaxes(0, 1) - y).mean()


@program("f32[4,512,256]", "f32[4,512,256]")
def linear_recurrence(a, x):
    def combine(l, r):
        return l[0] * r[0], l[1] * r[0] + r[1]
    return lax.associative_scan(combine, (jax.nn.sigmoid(a), x), axis=1)[1]


@program("f32[2,256,128]", "f32[2,256,128]", "f32[128,16]", "f32[2,256,16]", "f32[2,256,16]")
def selective_scan(x, delta, a, b, c):
    da = jnp.exp(delta[..., None] * a)
    dbx = delta[..., None] * b[:, :, None] * x[..., None]

    def step(h, t):
        h = t[0] * h + t[1]
        return h, jnp.einsum("bdn,bn->bd", h, t[2])
    seq = [v.swapaxes(0, 1) for v in (da, dbx, c)]
    _, y = lax.scan(step, jnp.zeros((2, 128, 16)), seq)
    return y.swapaxes(0, 1)


@program("f32[1000,64]", "f32[64,64]", "f32[64]")
def power_iteration(batch, a, v):
    def body(_, v):
        v = a @ v
        return v / jnp.linalg.norm(v)
    v = lax.fori_loop(0, 50, body, v)
    return v, batch @ v


@program("f32[128,512,40]", "f32[40,40]", "s32[128]")
def viterbi(emission, transition, length):
    def step(score, t):
        i, e = t
        best = score[:, :, None] + transition
        new = best.max(1) + e
        return jnp.where((i < length)[:, None], new, score), best.argmax(1)
    score, back = lax.scan(step, emission[:, 0], (jnp.arange(1, 512), emission[:, 1:].swapaxes(0, 1)))
    return score.argmax(-1), back


@program("bf16[16,128,512]", "bf16[4,512,512]", "bf16[4,512,512]")
def stacked_rnn(x, wx, wh):
    def layer(x, w):
        def step(h, x):
            h = jnp.tanh(x @ w[0] + h @ w[1])
            return h, h
        return lax.scan(step, jnp.zeros((16, 512), x.dtype), x)[1], None
    return lax.scan(layer, x.swapaxes(0, 1), (wx, wh))[0].swapaxes(0, 1)


@program("f32[2,8,64,64]", "bf16[2,8,512,64]", "bf16[2,8,512,64]", "bf16[2,8,512,64]")
def chunked_linear_attention(state, q, k, v):
    chunk = lambda x: jnp.moveaxis(x.reshape(2, 8, 8, 64, 64), 2, 0)

    def step(s, qkv):
        q, k, v = qkv
        local = jnp.einsum("bhqd,bhkd->bhqk", q, k) * jnp.tril(jnp.ones((64, 64), q.dtype))
        out = jnp.einsum("bhqd,bhde->bhqe", q, s.astype(q.dtype)) + jnp.einsum("bhqk,bhke->bhqe", local, v)
        return s + jnp.einsum("bhkd,bhke->bhde", k, v).astype(s.dtype), out
    state, out = lax.scan(step, state, (chunk(q), chunk(k), chunk(v)))
    return state, jnp.moveaxis(out, 0, 2).reshape(2, 8, 512, 64)


@program("f32[100,3,300]", "f32[3]")
def exponential_average(x, w):
    def step(m, r):
        m = .9 * m + .1 * r * w[:, None]
        return m, m.sum(0)
    return lax.scan(step, jnp.zeros((3, 300)), x)


@program("s32[8,1024]", "f32[8]")
def conditional_walk(keys, start):
    def body(state):
        i, x = state
        x = lax.cond(i % 2 == 0, lambda x: jnp.sin(x) * 2, lambda x: x - keys[:, i].astype(x.dtype), x)
        return i + 1, x
    return lax.while_loop(lambda s: (s[0] < 1024) & (s[1].sum() < 1e6), body, (0, start))


@program("f32[64,128,32]", "f32[32,32]", "f32[32,32]")
def bidirectional(x, forward, backward):
    def run(w, reverse):
        step = lambda h, x: (jnp.tanh(x + h @ w),) * 2
        return lax.scan(step, jnp.zeros((64, 32)), x.swapaxes(0, 1), reverse=reverse)[1]
    return jnp.concatenate([run(forward, False), run(backward, True)], -1).swapaxes(0, 1)


@training({"a": "f32[256]", "b": "f32[256,64]", "c": "f32[64,256]"}, "f32[8,200,64]", "f32[8,200,64]")
def state_space_step(p, x, y):
    u = x @ p["b"].T
    step = lambda h, u: ((h * jax.nn.sigmoid(p["a"]) + u),) * 2
    _, h = lax.scan(step, jnp.zeros((8, 256)), u.swapaxes(0, 1), unroll=4)
    return jnp.square(h.swapaxes(0, 1) @ p["c"].T - y).mean()
