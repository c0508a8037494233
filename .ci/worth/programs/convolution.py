"""Convolutional networks."""
import jax
import jax.numpy as jnp
from jax import lax

from program import program, training

NHWC, NCHW = ("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW")


def conv(x, w, stride=1, layout=NHWC, padding="SAME", **kw):
    return lax.conv_general_dilated(x, w, (stride,) * (x.ndim - 2), padding, dimension_numbers=layout, **kw)


def norm(x, scale, axes=(0, 1, 2)):
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) * lax.rsqrt(var + 1e-5) * scale


@training({"stem": "f32[7,7,3,64]", "a": "f32[3,3,64,64]", "b": "f32[3,3,64,64]", "s": "f32[64]", "down": "f32[3,3,64,128]",
           "skip": "f32[1,1,64,128]", "head": "f32[128,1000]"}, "f32[8,224,224,3]", "s32[8]")
def residual_step(p, x, y):
    x = jax.nn.relu(norm(conv(x, p["stem"], 2), p["s"]))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    x = jax.nn.relu(x + conv(jax.nn.relu(norm(conv(x, p["a"]), p["s"])), p["b"]))
    x = jax.nn.relu(conv(x, p["down"], 2) + conv(x, p["skip"], 2))
    return -jax.nn.log_softmax(x.mean((1, 2)) @ p["head"])[jnp.arange(8), y].mean()


@program("f32[16,3,128,128]", "f32[32,3,3,3]", "f32[64,32,3,3]", "f32[64]")
def channels_first(x, w1, w2, bias):
    x = jax.nn.relu(conv(x, w1, layout=NCHW))
    return jax.nn.relu(conv(x, w2, 2, layout=NCHW) + bias[:, None, None])


@program("bf16[8,56,56,96]", "bf16[7,7,1,96]", "bf16[96,384]", "bf16[384,96]", "f32[96]")
def convnext_block(x, depth, up, down, scale):
    h = conv(x, depth, feature_group_count=96)
    h = norm(h.astype(jnp.float32), scale, -1).astype(x.dtype)
    return x + jax.nn.gelu(h @ up) @ down


@program("bf16[4,64,64,32]", "bf16[3,3,32,64]", "bf16[3,3,64,64]", "bf16[2,2,32,64]", "bf16[3,3,64,32]")
def unet_level(x, w1, w2, up, w3):
    y = jax.nn.relu(conv(x, w1, 2))
    y = jax.nn.relu(conv(y, w2))
    y = lax.conv_transpose(y, up, (2, 2), "SAME", transpose_kernel=True)
    return conv(jnp.concatenate([x, y], -1), w3)


@program("f32[32,8000,1]", "f32[400,1,64]", "f32[3,64,128]", "f32[3,128,128]")
def audio_encoder(x, w1, w2, w3):
    one = ("NWC", "WIO", "NWC")
    x = jax.nn.relu(conv(x, w1, 160, layout=one))
    x = jax.nn.relu(conv(x, w2, layout=one))
    return conv(x, w3, 2, layout=one)


@training({"a": "f32[3,3,3,1,16]", "b": "f32[3,3,3,16,32]", "head": "f32[32,4]"}, "f32[2,32,64,64,1]", "f32[2,4]")
def volumes_step(p, x, y):
    three = ("NDHWC", "DHWIO", "NDHWC")
    x = jax.nn.relu(conv(x, p["a"], layout=three))
    x = jax.nn.relu(conv(x, p["b"], 2, layout=three))
    return jnp.square(x.mean((1, 2, 3)) @ p["head"] - y).mean()


@program("bf16[8,32,32,256]", "bf16[1,1,256,64]", "bf16[3,3,64,64]", "bf16[1,1,64,256]", "bf16[256,16]", "bf16[16,256]")
def squeeze_excite(x, w1, w2, w3, squeeze, excite):
    h = jax.nn.relu(conv(jax.nn.relu(conv(x, w1)), w2))
    h = conv(h, w3)
    gate = jax.nn.sigmoid(jax.nn.relu(h.mean((1, 2)) @ squeeze) @ excite)
    return x + h * gate[:, None, None]


@program("f32[4,128,128,3]", "f32[3,3,3,12]", "f32[3,3,12,27]")
def pixel_shuffle(x, w1, w2):
    h = jnp.tanh(conv(jnp.tanh(conv(x, w1)), w2))
    return h.reshape(4, 128, 128, 3, 3, 3).transpose(0, 1, 3, 2, 4, 5).reshape(4, 384, 384, 3)


@program("f32[16,28,28,1]", "f32[5,5,1,32]", "f32[5,5,32,64]", "f32[3136,512]", "f32[512,10]")
def digits(x, w1, w2, dense, head):
    pool = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")
    x = pool(jax.nn.relu(conv(x, w1)))
    x = pool(jax.nn.relu(conv(x, w2)))
    return jax.nn.relu(x.reshape(16, -1) @ dense) @ head


@program("bf16[4,64,64,128]", "bf16[3,3,128,128]", "f32[128]", "bf16[128,3,4,32]", "bf16[4,32,128]")
def diffusion_attention(x, w, scale, qkv, out):
    h = x.reshape(4, 4096, 32, 4).astype(jnp.float32)
    h = norm(h, 1., (1, 3)).reshape(x.shape) * scale
    h = conv(jax.nn.silu(h).astype(x.dtype), w).reshape(4, 4096, 128)
    q, k, v = jnp.moveaxis(jnp.einsum("btc,cqhd->btqhd", h, qkv), 2, 0)
    a = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / 6)
    return x + jnp.einsum("bhqk,bkhd,hdc->bqc", a, v, out).reshape(x.shape)


@training({"w1": "bf16[4,4,3,64]", "w2": "bf16[4,4,64,128]", "w3": "bf16[4,4,128,1]"}, "bf16[8,64,64,3]", "bf16[8,64,64,3]")
def discriminator_step(p, real, fake):
    def score(x):
        for w in (p["w1"], p["w2"]):
            x = jax.nn.leaky_relu(conv(x, w, 2))
        return conv(x, p["w3"]).astype(jnp.float32)
    return jax.nn.softplus(-score(real)).mean() + jax.nn.softplus(score(fake)).mean()
