"""Gathers, scatters and embeddings."""
import jax
import jax.numpy as jnp
from jax import lax

from program import program, training


@program("f32[100000,64]", "s32[256,20]")
def embedding_bag(table, ids):
    return table[ids].sum(1)


@training({"table": "f32[50000,32]", "w": "f32[832,1]"}, "s32[512,26]", "f32[512]")
def click_model_step(p, ids, y):
    x = p["table"][ids].reshape(512, -1)
    return jnp.square((x @ p["w"])[:, 0] - y).mean()


@program("f32[10000,16]", "s32[40000]", "f32[40000,16]", donate_argnums=(0,))
def scatter_add(table, ids, rows):
    return table.at[ids].add(rows)


@program("f32[5000,64]", "s32[2,30000]", "f32[64,64]", "f32[64,64]")
def graph_convolution(x, edges, own, neighbour):
    m = jax.ops.segment_sum(x[edges[0]] @ neighbour, edges[1], 5000)
    count = jax.ops.segment_sum(jnp.ones(30000), edges[1], 5000)
    return jax.nn.relu(x @ own + m / jnp.maximum(count, 1)[:, None])


@program("f32[4,128,128,16]", "f32[4,64,64,2]")
def bilinear_sample(image, at):
    y, x = at[..., 0] * 126, at[..., 1] * 126
    y0, x0 = y.astype(jnp.int32), x.astype(jnp.int32)
    pick = jax.vmap(lambda i, y, x: i[y, x])
    fy, fx = (y - y0)[..., None], (x - x0)[..., None]
    top = pick(image, y0, x0) * (1 - fx) + pick(image, y0, x0 + 1) * fx
    low = pick(image, y0 + 1, x0) * (1 - fx) + pick(image, y0 + 1, x0 + 1) * fx
    return top * (1 - fy) + low * fy


@program("s32[100000]", "f32[100000]")
def histogram(ids, weights):
    return jnp.zeros(1000).at[ids % 1000].add(weights), jnp.bincount(ids, length=256)


@program("f32[64,5000]", "f32[64,5000,4]")
def top_boxes(score, box):
    value, at = lax.top_k(score, 100)
    b = jnp.take_along_axis(box, at[..., None], 1)
    lo, hi = jnp.maximum(b[:, :, None, :2], b[:, None, :, :2]), jnp.minimum(b[:, :, None, 2:], b[:, None, :, 2:])
    inter = jnp.prod(jnp.maximum(hi - lo, 0), -1)
    area = jnp.prod(b[..., 2:] - b[..., :2], -1)
    return value, inter / (area[:, :, None] + area[:, None] - inter)


@program("f32[1000,128]", "s32[1000]")
def sorted_rows(x, key):
    order = jnp.argsort(key)
    return x[order], jnp.take(key, order)


@program("f32[8,64,512]", "s32[8,64]", "f32[8,512]")
def masked_fill(x, position, row):
    return jnp.where((position > 3)[..., None], x, row[:, None]), x[jnp.arange(8), position[:, 0]]


@program("f32[32,3,256,256]", "s32[32,2]")
def random_crop(x, at):
    return jax.vmap(lambda i, p: lax.dynamic_slice(i, (0, p[0], p[1]), (3, 224, 224)))(x, at)


@program("bf16[30000,768]", "bf16[512,768]", "bf16[2,768]", "s32[16,512]", "s32[16,512]", "f32[768]")
def bert_embedding(words, positions, kinds, ids, kind, scale):
    x = (words[ids] + positions + kinds[kind]).astype(jnp.float32)
    return ((x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-12) * scale).astype(words.dtype)


@program("f32[200,300]", "s32[40,2]", "f32[40,300]")
def indexed_updates(x, at, rows):
    return x.at[at[:, 0], at[:, 1]].set(1.), x.at[at[:, 0]].max(rows), x[:, ::3].T, x[at[:, 0]][:, at[:, 1]]
