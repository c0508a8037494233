"""Fourier transforms and what is built of them."""
import jax
import jax.numpy as jnp

from program import program, training


@program("f32[16,256,256]")
def power_spectrum(x):
    return jnp.square(jnp.abs(jnp.fft.fft2(x)))


@program("f32[8,4096]", "f32[4096]")
def long_convolution(x, k):
    n = 8192
    return jnp.fft.irfft(jnp.fft.rfft(x, n) * jnp.fft.rfft(k, n), n)[:, :4096]


@program("f32[4,64,64,32]", "f32[16,16,32,32]", "f32[16,16,32,32]")
def fourier_layer(x, re, im):
    f = jnp.fft.rfft2(x, axes=(1, 2))
    g = jnp.zeros_like(f).at[:, :16, :16].set(jnp.einsum("bxyi,xyio->bxyo", f[:, :16, :16], re + 1j * im))
    return jnp.fft.irfft2(g, (64, 64), axes=(1, 2))


@program("f32[8,16000]", "f32[400]", "f32[201,80]")
def log_mel(x, window, mel):
    frames = x[:, jnp.arange(98)[:, None] * 160 + jnp.arange(400)]
    return jnp.log(jnp.square(jnp.abs(jnp.fft.rfft(frames * window))) @ mel + 1e-6)


@program("f32[32,128,512]")
def token_mixing(x):
    return jnp.fft.fft(jnp.fft.fft(x, axis=2), axis=1).real


@program("c64[64,64,64]", "f32[64,64,64]")
def poisson_kernel(f, k):
    return jnp.fft.ifftn(jnp.fft.fftn(f) / (k + 1e-3))


@program("f32[128,128]", "f32[128,128]")
def navier_stokes(w, k):
    def step(_, w):
        f = jnp.fft.rfft2(w)
        u = jnp.fft.irfft2(f * 1j * k[:, :65])
        return w - .01 * u * jnp.roll(w, 1, 0) + .001 * jnp.fft.irfft2(-f * k[:, :65]**2)
    return jax.lax.fori_loop(0, 20, step, w)


@program("f32[64,256]", "f32[256,256]")
def cosine_transform(x, basis):
    return (x @ basis) @ basis.T, jnp.einsum("ij,kj->ki", x, basis)


@program("c64[100,300]", "c64[300]")
def complex_filter(x, h):
    y = x * h.conj()
    return y.real, y.imag, jnp.angle(y), y.T


@training({"re": "f32[8,8,16]", "im": "f32[8,8,16]", "w": "f32[16,1]"}, "f32[4,32,32,16]", "f32[4,32,32,1]")
def spectral_step(p, x, y):
    f = jnp.fft.fft2(x, axes=(1, 2))[:, :8, :8] * (p["re"] + 1j * p["im"])
    return jnp.square(jnp.fft.ifft2(f, (32, 32), axes=(1, 2)).real @ p["w"] - y).mean()


@program("f32[2,1024,64]", "f32[64,1024]")
def hyena_gate(x, k):
    y = jnp.fft.irfft(jnp.fft.rfft(x, 2048, 1) * jnp.fft.rfft(k, 2048, 1).T, 2048, 1)[:, :1024]
    return jax.nn.silu(x) * y
