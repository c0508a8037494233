"""Dense transformers and perceptrons, forward and trained."""
import jax
import jax.numpy as jnp
from jax import lax

from program import program, training

D, H, F, V = 512, 8, 2048, 8192
BLOCK = {"norm1": f"f32[{D}]", "norm2": f"f32[{D}]", "qkv": f"bf16[{D},3,{H},64]", "out": f"bf16[{H},64,{D}]",
         "up": f"bf16[{D},{F}]", "down": f"bf16[{F},{D}]"}


def rms(x, scale):
    y = x.astype(jnp.float32)
    return (y * lax.rsqrt(jnp.mean(y * y, -1, keepdims=True) + 1e-6) * scale).astype(x.dtype)


def attend(q, k, v, causal=True):
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k).astype(jnp.float32) / q.shape[-1]**.5
    if causal:
        s = jnp.where(jnp.tril(jnp.ones(s.shape[-2:], bool)), s, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(s).astype(v.dtype), v)


def block(x, p):
    h = rms(x, p["norm1"])
    q, k, v = jnp.moveaxis(jnp.einsum("btd,dchk->btchk", h, p["qkv"]), 2, 0)
    x = x + jnp.einsum("bthk,hkd->btd", attend(q, k, v), p["out"])
    return x + jax.nn.gelu(rms(x, p["norm2"]) @ p["up"]) @ p["down"]


@program("bf16[4,256,512]", BLOCK)
def block_forward(x, p):
    return block(x, p)


@training({"embed": f"f32[{V},{D}]", "block": {k: s.replace("bf16", "f32") for k, s in BLOCK.items()}}, "s32[4,129]")
def decoder_step(p, tokens):
    x = p["embed"][tokens[:, :-1]]
    x = block(x, p["block"])
    logits = x @ p["embed"].T
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[:, 1:, None], -1).mean()


@training({"embed": f"bf16[{V},{D}]", "blocks": {k: s.replace("[", "[6,") for k, s in BLOCK.items()}}, "s32[2,257]")
def scanned_decoder_step(p, tokens):
    x = p["embed"][tokens[:, :-1]]
    x, _ = lax.scan(jax.checkpoint(lambda x, b: (block(x, b), None)), x, p["blocks"])
    logits = (x @ p["embed"].T).astype(jnp.float32)
    return (jax.nn.logsumexp(logits, -1) - jnp.take_along_axis(logits, tokens[:, 1:, None], -1)[..., 0]).mean()


@training({"w1": "f32[784,1000]", "b1": "f32[1000]", "w2": "f32[1000,500]", "b2": "f32[500]", "w3": "f32[500,10]"},
          "f32[256,784]", "s32[256]")
def mlp_step(p, x, y):
    h = jax.nn.relu(x @ p["w1"] + p["b1"])
    h = jax.nn.relu(h @ p["w2"] + p["b2"])
    return -(jax.nn.log_softmax(h @ p["w3"]) * jax.nn.one_hot(y, 10)).sum(-1).mean()


@program("bf16[8,512,768]", "bf16[768,3072]", "bf16[768,3072]", "bf16[3072,768]")
def swiglu(x, gate, up, down):
    return (jax.nn.silu(x @ gate) * (x @ up)) @ down


@program("f32[16,196,192]", "f32[3,192,192]", "f32[192,192]", "f32[192]", "f32[192]")
def encoder_attention(x, qkv, out, scale, bias):
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    h = (x - mean) / jnp.sqrt(var + 1e-6) * scale + bias
    q, k, v = (jnp.dot(h, w).reshape(16, 196, 3, 64) for w in qkv)
    return x + attend(q, k, v, causal=False).reshape(16, 196, 192) @ out


@program("s32[8,128]", "bf16[32000,256]", "bf16[128,256]", {k: s.replace("512", "256").replace("8,64", "4,64") for k, s in BLOCK.items()})
def last_token_logits(tokens, embed, position, p):
    x = block(embed[tokens] + position, p)
    return (x[:, -1] @ embed.T).astype(jnp.float32)


@program("f32[32,77,512]", "f32[512,49408]", "s32[32,77]")
def label_smoothed_loss(x, head, labels):
    logits = x @ head
    logp = jax.nn.log_softmax(logits)
    return -.9 * jnp.take_along_axis(logp, labels[..., None], -1).mean() - .1 * logp.mean()


@program("bf16[2,1024,8,64]", "f32[1024,32]", "f32[1024,32]")
def rotary(x, sin, cos):
    a, b = jnp.split(x.astype(jnp.float32), 2, -1)
    s, c = sin[:, None], cos[:, None]
    return jnp.concatenate([a * c - b * s, b * c + a * s], -1).astype(x.dtype)


@training({"patch": "f32[768,384]", "pos": "f32[197,384]", "cls": "f32[384]",
           "block": {"norm1": "f32[384]", "norm2": "f32[384]", "qkv": "f32[384,3,6,64]", "out": "f32[6,64,384]",
                     "up": "f32[384,1536]", "down": "f32[1536,384]"}, "head": "f32[384,1000]"}, "f32[16,224,224,3]", "s32[16]")
def vision_transformer_step(p, image, label):
    x = image.reshape(16, 14, 16, 14, 16, 3).transpose(0, 1, 3, 2, 4, 5).reshape(16, 196, 768) @ p["patch"]
    x = jnp.concatenate([jnp.broadcast_to(p["cls"], (16, 1, 384)), x], 1) + p["pos"]
    x = block(x, p["block"])
    return -jax.nn.log_softmax(x[:, 0] @ p["head"])[jnp.arange(16), label].mean()


@program("bf16[4,64,16,40,40]", "f32[40]")
def mixer_tokens(x, w):
    y = x.transpose(0, 2, 3, 4, 1).reshape(4, 16, 1600, 64)
    return jnp.einsum("bcpd,bcqd->bcpq", y, y).mean(-1) + jnp.tile(w, 40).astype(x.dtype)


@program("s8[512,2048]", "f32[2048]", "bf16[64,512]", "s8[2048,512]", "f32[512]")
def quantized_mlp(w1, s1, x, w2, s2):
    h = jax.nn.relu((x @ w1.astype(jnp.bfloat16)) * s1.astype(jnp.bfloat16))
    return (h @ w2.astype(jnp.bfloat16)) * s2.astype(jnp.bfloat16)
