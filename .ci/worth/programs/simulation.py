"""Simulation: bodies, fields, particles."""
import jax
import jax.numpy as jnp
from jax import lax

from program import program


@program("f32[1024,3]", "f32[1024,3]", "f32[1024]")
def n_body(x, v, mass):
    def step(_, s):
        x, v = s
        d = x[None] - x[:, None]
        r = lax.rsqrt(jnp.square(d).sum(-1) + 1e-3)
        v = v + .01 * jnp.einsum("ij,ijk,j->ik", r**3, d, mass)
        return x + .01 * v, v
    return lax.fori_loop(0, 10, step, (x, v))


@program("f32[4096,13]", "f32[4096,3]", "f32[4096,3]")
def rigid_bodies(state, force, torque):
    x, q, v, w = state[:, :3], state[:, 3:7], state[:, 7:10], state[:, 10:]

    def rotate(q, u):
        s, r = q[:, :1], q[:, 1:]
        t = 2 * jnp.cross(r, u)
        return u + s * t + jnp.cross(r, t)
    v = v + .01 * (force + jnp.array([0, 0, -9.8]))
    w = w + .01 * rotate(q, torque)
    half = .005 * w
    dq = jnp.concatenate([-(half * q[:, 1:]).sum(1, keepdims=True), half * q[:, :1] + jnp.cross(half, q[:, 1:])], 1)
    q = q + dq
    return jnp.concatenate([x + .01 * v, q / jnp.linalg.norm(q, axis=1, keepdims=True), v, w], 1)


@program("f32[512,512]", "f32[512,512]")
def wave_equation(u, before):
    def step(s, _):
        u, before = s
        lap = sum(jnp.roll(u, d, a) for d in (1, -1) for a in (0, 1)) - 4 * u
        return (2 * u - before + .1 * lap, u), u[::64, ::64]
    return lax.scan(step, (u, before), length=50)


@program("f32[64,64,64,3]", "f32[64,64,64]")
def pressure_projection(v, p):
    div = sum((jnp.roll(v[..., a], -1, a) - jnp.roll(v[..., a], 1, a)) / 2 for a in range(3))
    p = lax.fori_loop(0, 20, lambda _, p: (sum(jnp.roll(p, d, a) for d in (1, -1) for a in range(3)) - div) / 6, p)
    grad = jnp.stack([(jnp.roll(p, -1, a) - jnp.roll(p, 1, a)) / 2 for a in range(3)], -1)
    return v - grad, p


@program("f32[10000,2]", "f32[10000,2]", "f32[128,128]")
def particle_in_cell(x, v, field):
    at = (x * 128).astype(jnp.int32) % 128
    e = field[at[:, 0], at[:, 1]]
    v = v + .1 * e[:, None]
    return x + .1 * v, v, jnp.zeros((128, 128)).at[at[:, 0], at[:, 1]].add(1.)


@program("s32[256,256]")
def game_of_life(board):
    def step(_, b):
        n = sum(jnp.roll(b, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - b
        return ((n == 3) | ((b == 1) & (n == 2))).astype(b.dtype)
    return lax.fori_loop(0, 100, step, board)


@program("f32[2048,7]", "f32[2048,7]", "f32[7,4]")
def robot_arms(q, qd, dh):
    def link(t, i):
        a, alpha, d, theta = dh[i, 0], dh[i, 1], dh[i, 2], dh[i, 3] + q[:, i]
        c, s, ca, sa = jnp.cos(theta), jnp.sin(theta), jnp.cos(alpha), jnp.sin(alpha)
        zero, one = jnp.zeros_like(c), jnp.ones_like(c)
        m = jnp.stack([c, -s * ca, s * sa, a * c, s, c * ca, -c * sa, a * s, zero, sa * one, ca * one, d * one,
                       zero, zero, zero, one], -1).reshape(-1, 4, 4)
        return t @ m
    t = jnp.broadcast_to(jnp.eye(4), (2048, 4, 4))
    for i in range(7):
        t = link(t, i)
    return t[:, :3, 3], t[:, :3, :3] @ qd[:, :3, None]


@program("f32[500,3]", "f32[500]")
def lennard_jones(x, charge):
    def energy(x):
        d = jnp.square(x[:, None] - x[None]).sum(-1) + 10 * jnp.eye(500)
        return (d**-6 - d**-3).sum() + (charge[:, None] * charge / jnp.sqrt(d)).sum()
    return energy(x), -jax.grad(energy)(x)


@program("f32[9,256,256]")
def lattice_boltzmann(f):
    c = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
    w = jnp.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)

    def step(f, _):
        f = jnp.stack([jnp.roll(f[i], c[i], (0, 1)) for i in range(9)])
        e = jnp.array(c, jnp.float32)
        rho = f.sum(0)
        u = jnp.einsum("ia,ixy->axy", e, f) / rho
        cu = jnp.einsum("ia,axy->ixy", e, u)
        eq = w[:, None, None] * rho * (1 + 3 * cu + 4.5 * cu**2 - 1.5 * jnp.square(u).sum(0))
        return f + .6 * (eq - f), None
    return lax.scan(step, f, length=10)[0]


@program("u32[2]", "f32[4096]")
def monte_carlo_paths(key, start):
    def step(x, k):
        x = x * jnp.exp(.01 * jax.random.normal(k, x.shape))
        return x, x
    _, path = lax.scan(step, start, jax.random.split(jax.random.wrap_key_data(key), 100))
    return jnp.maximum(path.mean(0) - 1, 0).mean(), path.T


@program("f32[20000,3]", "f32[20000,3,3]", "f32[20000,3,3]")
def deformation(x, f, c):
    j = jnp.linalg.det(f)
    stress = f @ f.swapaxes(-1, -2) * (j**-2)[:, None, None] - jnp.eye(3)
    return x + .1 * jnp.einsum("nij,nj->ni", c, x), f + .1 * c @ f, stress


@program("f32[1024,12]", "f32[1024,4]", "f32[16,64]", "f32[64,64]", "f32[64,4]")
def policy_rollout(s, a, w1, w2, w3):
    def step(s, _):
        u = jnp.tanh(jnp.tanh(jnp.concatenate([s, a], 1) @ w1) @ w2) @ w3
        s = s + .02 * jnp.concatenate([s[:, 6:], jnp.repeat(u[:, :3], 2, 1)], 1)
        return s, (s, u, -jnp.square(s).sum(1))
    return lax.scan(step, s, length=32)
