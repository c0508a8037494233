"""Variants of attention, and mixtures of experts."""
import jax
import jax.numpy as jnp
from jax import lax

from program import program, training


def softmax_attend(q, k, v, mask=None):
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k).astype(jnp.float32) / q.shape[-1]**.5
    if mask is not None:
        s = jnp.where(mask, s, -1e9)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s).astype(v.dtype), v)


@program("bf16[2,8,1024,64]", "bf16[2,8,1024,64]", "bf16[2,8,1024,64]")
def sliding_window(q, k, v):
    i = jnp.arange(1024)
    return softmax_attend(q, k, v, (i[:, None] >= i) & (i[:, None] - i < 128))


@program("bf16[2,1024,32,64]", "bf16[2,1024,4,64]", "bf16[2,1024,4,64]")
def grouped_queries(q, k, v):
    s = jnp.einsum("btgrd,bsgd->bgrts", q.reshape(2, 1024, 4, 8, 64), k).astype(jnp.float32) / 8
    return jnp.einsum("bgrts,bsgd->btgrd", jax.nn.softmax(s).astype(v.dtype), v).reshape(2, 1024, 2048)


@program("bf16[4,8,512,32]", "bf16[4,8,512,32]", "bf16[4,8,512,32]", "f32[8]")
def alibi(q, k, v, slope):
    i = jnp.arange(512)
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k).astype(jnp.float32) - slope[:, None, None] * jnp.abs(i[:, None] - i)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s).astype(v.dtype), v)


@program("f32[2,8,2048,64]", "f32[2,8,2048,64]", "f32[2,8,2048,64]")
def blocked_softmax(q, k, v):
    split = lambda x: jnp.moveaxis(x.reshape(2, 8, 8, 256, 64), 2, 0)

    def step(carry, kv):
        m, l, acc = carry
        s = jnp.einsum("bhqd,bhkd->bhqk", q, kv[0]) / 8
        new = jnp.maximum(m, s.max(-1))
        p = jnp.exp(s - new[..., None])
        scale = jnp.exp(m - new)
        return (new, l * scale + p.sum(-1), acc * scale[..., None] + jnp.einsum("bhqk,bhkd->bhqd", p, kv[1])), None
    start = (jnp.full((2, 8, 2048), -1e9), jnp.zeros((2, 8, 2048)), jnp.zeros_like(q))
    (_, l, acc), _ = lax.scan(step, start, (split(k), split(v)))
    return acc / l[..., None]


@program("bf16[16,56,56,96]", "bf16[96,3,3,32]", "f32[169,3]", "bf16[3,32,96]")
def window_attention(x, qkv, bias, out):
    w = x.reshape(16, 8, 7, 8, 7, 96).transpose(0, 1, 3, 2, 4, 5).reshape(-1, 49, 96)
    q, k, v = jnp.moveaxis(jnp.einsum("ntc,cqhd->nqhtd", w, qkv), 1, 0)
    i = jnp.stack(jnp.meshgrid(jnp.arange(7), jnp.arange(7), indexing="ij"), -1).reshape(49, 2)
    r = ((i[:, None] - i[None] + 6) * jnp.array([13, 1])).sum(-1)
    s = jnp.einsum("nhqd,nhkd->nhqk", q, k).astype(jnp.float32) + bias[r].transpose(2, 0, 1)
    y = jnp.einsum("nhqk,nhkd,hdc->nqc", jax.nn.softmax(s).astype(v.dtype), v, out)
    return y.reshape(16, 8, 8, 7, 7, 96).transpose(0, 1, 3, 2, 4, 5).reshape(x.shape)


@program("f32[1,256,256,64]", "f32[64,3,4,16]", "f32[64,4]", "f32[4,16,64]")
def triangle_attention(z, qkv, bias, out):
    q, k, v = jnp.moveaxis(jnp.einsum("bijc,cqhd->bqihjd", z, qkv), 1, 0)
    b = jnp.einsum("bjkc,ch->bhjk", z, bias)
    s = jnp.einsum("bihjd,bihkd->bihjk", q, k) / 4 + b[:, None]
    return jnp.einsum("bihjk,bihkd,hdc->bijc", jax.nn.softmax(s), v, out)


@program("f32[1,128,128,64]", "f32[64,64]", "f32[64,64]")
def triangle_update(z, left, right):
    a, b = jax.nn.sigmoid(z @ left), jax.nn.sigmoid(z @ right)
    return jnp.einsum("bikc,bjkc->bijc", a, b), jnp.einsum("bkic,bkjc->bijc", a, b)


@program("bf16[2,512,256]", "bf16[256,8]", "bf16[8,256,512]", "bf16[8,512,256]")
def dense_experts(x, router, up, down):
    gate = jax.nn.softmax((x @ router).astype(jnp.float32)).astype(x.dtype)
    h = jax.nn.gelu(jnp.einsum("btd,edf->btef", x, up))
    return jnp.einsum("btef,efd,bte->btd", h, down, gate)


@program("bf16[1024,256]", "bf16[256,8]", "bf16[8,256,512]", "bf16[8,512,256]")
def capacity_experts(x, router, up, down):
    gate = jax.nn.softmax((x @ router).astype(jnp.float32))
    weight, expert = lax.top_k(gate, 2)
    one = jax.nn.one_hot(expert, 8)
    place = (jnp.cumsum(one.reshape(-1, 8), 0) - 1).reshape(one.shape)
    dispatch = (jax.nn.one_hot(place, 320) * one[..., None]).sum(1)
    h = jnp.einsum("nec,nd->ecd", dispatch.astype(x.dtype), x)
    h = jnp.einsum("ecf,efd->ecd", jax.nn.gelu(jnp.einsum("ecd,edf->ecf", h, up)), down)
    return jnp.einsum("nec,ecd->nd", (dispatch * weight.sum(1)[:, None, None]).astype(x.dtype), h)


@program("bf16[2048,256]", "s32[2048]", "bf16[8,256,512]", "s32[8]")
def sorted_experts(x, expert, up, sizes):
    order = jnp.argsort(expert)
    return lax.ragged_dot(x[order], up, sizes)[jnp.argsort(order)]


@program("f32[8,128,256]", "f32[8,64,256]", "f32[256,4,64]", "f32[256,2,4,64]", "f32[4,64,256]", "pred[8,64]")
def cross_attention(x, memory, wq, wkv, wo, mask):
    q = jnp.einsum("btd,dhk->bhtk", x, wq)
    k, v = jnp.moveaxis(jnp.einsum("btd,dchk->bchtk", memory, wkv), 1, 0)
    return x + jnp.einsum("bhqd,hdc->bqc", softmax_attend(q, k, v, mask[:, None, None]), wo)


@training({"q": "f32[128,128]", "k": "f32[128,128]", "v": "f32[128,128]", "rel": "f32[127,32]", "o": "f32[128,128]"},
          "f32[8,64,128]", "f32[8,64,128]")
def relative_attention_step(p, x, y):
    split = lambda z: z.reshape(8, 64, 4, 32).transpose(0, 2, 1, 3)
    q, k, v = (split(x @ p[n]) for n in "qkv")
    i = jnp.arange(64)
    rel = p["rel"][i[None] - i[:, None] + 63]
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k) + jnp.einsum("bhqd,qkd->bhqk", q, rel)
    out = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s / 6), v)
    return jnp.square(out.transpose(0, 2, 1, 3).reshape(8, 64, 128) @ p["o"] - y).mean()


@program("bf16[4,512,8,64]", "bf16[4,512,8,64]", "bf16[4,512,8,64]")
def linear_attention(q, k, v):
    q, k = jax.nn.elu(q) + 1, jax.nn.elu(k) + 1
    kv = jnp.einsum("bthd,bthe->bhde", k, v)
    return jnp.einsum("bthd,bhde->bthe", q, kv) / (jnp.einsum("bthd,bhd->bth", q, k.sum(1))[..., None] + 1e-6)
