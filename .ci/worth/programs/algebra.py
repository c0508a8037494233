"""Linear algebra."""
import jax
import jax.numpy as jnp
from jax import lax

from program import program


@program("f32[256,256]", "f32[256,32]")
def cholesky_solve(a, b):
    return jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(a @ a.T + 256 * jnp.eye(256)), True), b)


@program("f32[16,64,48]")
def batched_qr(a):
    return jnp.linalg.qr(a)


@program("f32[100,100]", "f32[100,3]")
def lu_solve(a, b):
    return jnp.linalg.solve(a, b), jnp.linalg.slogdet(a)


@program("f32[4,32,32]")
def eigenvalues(a):
    return jnp.linalg.eigh(a + a.swapaxes(-1, -2))


@program("f32[2000,100]", "f32[2000]")
def ridge(x, y):
    return jnp.linalg.solve(x.T @ x + jnp.eye(100), x.T @ y)


@program("f32[500,10]", "f32[500]", "f32[200,10]")
def gaussian_process(x, y, new):
    def kernel(a, b):
        return jnp.exp(-.5 * jnp.square(a[:, None] - b[None]).sum(-1))
    l = jnp.linalg.cholesky(kernel(x, x) + .1 * jnp.eye(500))
    k = kernel(x, new)
    alpha = lax.linalg.triangular_solve(l, y[:, None], left_side=True, lower=True)
    v = lax.linalg.triangular_solve(l, k, left_side=True, lower=True)
    return v.T @ alpha, kernel(new, new) - v.T @ v


@program("bf16[300,700]", "bf16[700,500]", "bf16[500,300]")
def matrix_chain(a, b, c):
    return a @ b @ c, (a @ b).T, c.T @ b.T


@program("f32[8,128,128]", "f32[128,128]")
def matrix_exponential(a, b):
    x = a / 64
    y = jnp.eye(128) + x @ (jnp.eye(128) + x @ (jnp.eye(128) / 2 + x / 6))
    for _ in range(6):
        y = y @ y
    return y @ b


@program("f32[1000,1000]", "f32[1000]")
def conjugate_gradients(a, b):
    def body(_, s):
        x, r, p = s
        ap = a @ p
        alpha = (r @ r) / (p @ ap)
        new = r - alpha * ap
        return x + alpha * p, new, new + (new @ new) / (r @ r) * p
    return lax.fori_loop(0, 100, body, (jnp.zeros_like(b), b, b))[0]


@program("f32[3000,50]", "f32[20,50]")
def k_means(x, centres):
    def step(c, _):
        d = jnp.square(x).sum(1)[:, None] - 2 * x @ c.T + jnp.square(c).sum(1)
        one = jax.nn.one_hot(d.argmin(1), 20)
        return (one.T @ x) / (one.sum(0)[:, None] + 1e-6), d.min(1).mean()
    return lax.scan(step, centres, length=10)


@program("f32[10,20,30]", "f32[30,40,20]", "f32[40,10]")
def tensor_network(a, b, c):
    return jnp.einsum("ijk,klj,li->", a, b, c), jnp.einsum("ijk,klj->ilk", a, b), jnp.tensordot(a, c, ((0,), (1,)))


@program("f32[512,512]", "f32[512,512]", "f32[512]")
def transposed_products(a, b, d):
    return (a.T @ b).T, a @ b.T, jnp.outer(d, d) * a.T, jnp.diag(a @ b)


@program("f32[64,3,200]", "f32[64,200,3]")
def batched_gram(a, b):
    return jnp.einsum("nia,naj->nij", a, b), jnp.linalg.inv(jnp.einsum("nia,nja->nij", a, a) + jnp.eye(3))
