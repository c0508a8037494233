"""Decoding with caches."""
import jax
import jax.numpy as jnp
from jax import lax

from program import program


def attend(q, k, v, length):
    """q [b,h,d], k and v [b,t,g,d] -> [b,h,d], with h/g query heads a key head."""
    b, h, d = q.shape
    q = q.reshape(b, k.shape[2], -1, d)
    s = jnp.einsum("bgrd,btgd->bgrt", q, k).astype(jnp.float32) / d**.5
    s = jnp.where(jnp.arange(k.shape[1]) < length[:, None, None, None], s, -1e9)
    return jnp.einsum("bgrt,btgd->bgrd", jax.nn.softmax(s).astype(v.dtype), v).reshape(b, h, d)


LAYER = {"q": "bf16[1024,16,64]", "k": "bf16[1024,4,64]", "v": "bf16[1024,4,64]", "o": "bf16[16,64,1024]",
         "up": "bf16[1024,4096]", "down": "bf16[4096,1024]"}


def layer(x, p, k, v, at):
    q = jnp.einsum("bd,dhk->bhk", x, p["q"])
    put = jax.vmap(lambda c, n, i: lax.dynamic_update_slice(c, n[None], (i, 0, 0)))
    k = put(k, jnp.einsum("bd,dhk->bhk", x, p["k"]), at)
    v = put(v, jnp.einsum("bd,dhk->bhk", x, p["v"]), at)
    x = x + jnp.einsum("bhk,hkd->bd", attend(q, k, v, at + 1), p["o"])
    return x + jax.nn.gelu(x @ p["up"]) @ p["down"], k, v


@program("bf16[8,1024]", LAYER, "bf16[8,2048,4,64]", "bf16[8,2048,4,64]", "s32[8]", donate_argnums=(2, 3))
def one_layer(x, p, k, v, at):
    return layer(x, p, k, v, at)


@program("s32[4]", "bf16[16384,1024]", {n: s.replace("[", "[8,") for n, s in LAYER.items()}, "bf16[8,4,512,4,64]",
         "bf16[8,4,512,4,64]", "s32[4]", donate_argnums=(3, 4))
def greedy_token(token, embed, layers, ks, vs, at):
    def step(x, pkv):
        x, k, v = layer(x, *pkv, at)
        return x, (k, v)
    x, (ks, vs) = lax.scan(step, embed[token], (layers, ks, vs))
    return (x @ embed.T).argmax(-1), ks, vs, at + 1


@program("bf16[2,16,1,128]", "bf16[2,16,4096,128]", "bf16[2,16,4096,128]", "bf16[2,16,1,128]", "bf16[2,16,1,128]", "s32[]",
         donate_argnums=(1, 2))
def heads_first_cache(q, k, v, nk, nv, at):
    k, v = (lax.dynamic_update_slice(c, n, (0, 0, at, 0)) for c, n in ((k, nk), (v, nv)))
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k).astype(jnp.float32)
    s = jnp.where(jnp.arange(4096) <= at, s, -jnp.inf)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s).astype(v.dtype), v), k, v


@program("f32[32,32000]", "u32[2]")
def top_k_sampling(logits, key):
    values, ids = lax.top_k(logits, 50)
    pick = jax.random.categorical(jax.random.wrap_key_data(key), values / .8)
    return jnp.take_along_axis(ids, pick[:, None], 1)[:, 0]


@program("f32[4,50257]", "f32[]")
def nucleus_filter(logits, p):
    order = jnp.sort(logits, -1)[:, ::-1]
    mass = jnp.cumsum(jax.nn.softmax(order), -1)
    least = jnp.take_along_axis(order, (mass < p).sum(-1, keepdims=True), -1)
    return jnp.where(logits < least, -jnp.inf, logits)


@program("bf16[256,16,4,128]", "bf16[256,16,4,128]", "s32[8,32]", "bf16[8,8,128]", "s32[8]")
def paged_attention(k, v, pages, q, length):
    k, v = k[pages].reshape(8, 512, 4, 128), v[pages].reshape(8, 512, 4, 128)
    return attend(q, k, v, length)


@program("s8[4,1024,8,64]", "f32[4,1024,8]", "s8[4,1024,8,64]", "f32[4,1024,8]", "bf16[4,8,64]", "s32[4]")
def quantized_cache(k, ks, v, vs, q, length):
    wide = lambda x, s: (x.astype(jnp.bfloat16) * s[..., None].astype(jnp.bfloat16))
    return attend(q, wide(k, ks), wide(v, vs), length)


@program("f32[4,5,32000]", "f32[4,5]", "s32[4,5,64]", "s32[]")
def beam_step(logp, score, history, at):
    total = (score[..., None] + jax.nn.log_softmax(logp)).reshape(4, -1)
    score, flat = lax.top_k(total, 5)
    beam, token = flat // 32000, flat % 32000
    history = jnp.take_along_axis(history, beam[..., None], 1)
    return score, lax.dynamic_update_slice(history, token[..., None], (0, 0, at))


@program("bf16[1,2048,1024]", LAYER)
def prefill(x, p):
    q = jnp.einsum("btd,dhk->bthk", x, p["q"])
    k = jnp.einsum("btd,dhk->bthk", x, p["k"])
    v = jnp.einsum("btd,dhk->bthk", x, p["v"])
    s = jnp.einsum("btgrd,bsgd->bgrts", q.reshape(1, 2048, 4, 4, 64), k).astype(jnp.float32) / 8
    s = jnp.where(jnp.tril(jnp.ones((2048, 2048), bool)), s, -1e9)
    y = jnp.einsum("bgrts,bsgd->btgrd", jax.nn.softmax(s).astype(v.dtype), v).reshape(1, 2048, 16, 64)
    return jnp.einsum("bthk,hkd->btd", y, p["o"]), k, v


@program("bf16[8,512,512]", "bf16[8,1,512]", "bf16[512,8,64]", "bf16[512,8,64]", "bf16[16,1024]", "bf16[1024,16,64]", "s32[]")
def latent_cache(cache, new, up_k, up_v, x, wq, at):
    cache = lax.dynamic_update_slice(cache, new, (0, at, 0))
    k, v = jnp.einsum("btc,chd->bthd", cache, up_k), jnp.einsum("btc,chd->bthd", cache, up_v)
    q = jnp.einsum("bd,dhk->bhk", x[:8], wq)[:, :8]
    return attend(q, k, v, jnp.full((8,), at + 1)), cache


@program("s32[2,16]", "bf16[1000,256]", "bf16[256,768]", "bf16[256,1000]")
def generate(prompt, embed, w, head):
    def step(state):
        i, tokens, cache = state
        x = embed[tokens[:, i]]
        q, k, v = jnp.split(x @ w, 3, -1)
        cache = lax.dynamic_update_slice(cache, jnp.stack([k, v], 1)[:, :, None], (0, 0, i, 0))
        a = jax.nn.softmax(jnp.where(jnp.arange(64) <= i, jnp.einsum("bd,btd->bt", q, cache[:, 0]).astype(jnp.float32), -1e9))
        y = jnp.einsum("bt,btd->bd", a.astype(x.dtype), cache[:, 1])
        return i + 1, lax.dynamic_update_slice(tokens, (y @ head).argmax(-1)[:, None].astype(jnp.int32), (0, i + 1)), cache
    tokens = jnp.pad(prompt, ((0, 0), (0, 49)))
    return lax.fori_loop(0, 64, lambda _, s: step(s), (0, tokens, jnp.zeros((2, 2, 64, 256), jnp.bfloat16)))[1]


@program("bf16[4,8,5,64]", "bf16[4,1029,8,64]", "bf16[4,1029,8,64]", "pred[5,5]")
def speculative_verify(q, k, v, tree):
    s = jnp.einsum("bhqd,bkhd->bhqk", q, k).astype(jnp.float32)
    mask = jnp.concatenate([jnp.ones((5, 1024), bool), tree], 1)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(mask, s, -1e9)).astype(v.dtype), v).reshape(4, 5, 512)
