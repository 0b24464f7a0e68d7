"""Rotations and matrices. Quaternions are x, y, z, w."""

from __future__ import annotations

from typing import Any

import numpy as np

NOTHING = np.zeros((0, 3, 3))


def product(a: Any, b: Any) -> Any:
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return np.array([
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ])


def turning(q: Any, factor: float = 2.0) -> Any:
    """The matrix of a unit rotation; ``factor`` for engines that scale it otherwise."""
    x, y, z, w = q
    s = factor
    return np.array([
        [1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
        [s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)],
        [s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)],
    ])


def unit(q: Any) -> Any:
    length = np.linalg.norm(q)
    return np.asarray(q, float) / length if length else np.array([0.0, 0.0, 0.0, 1.0])


def placing(translation: Any, linear: Any) -> Any:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = linear, translation
    return matrix


def slerp(a: Any, b: Any, part: float) -> Any:
    a, b = unit(a), unit(b)
    cosine = float(a @ b)
    if cosine < 0:
        b, cosine = -b, -cosine
    if cosine > 0.9999:
        return unit(a + (b - a) * part)
    angle = np.arccos(cosine)
    return (np.sin((1 - part) * angle) * a + np.sin(part * angle) * b) / np.sin(angle)


def moved(matrices: Any, points: Any) -> Any:
    """Points, each by its own matrix, or all by one."""
    points = np.c_[points, np.ones(len(points))]
    return np.einsum("...ij,...j->...i", matrices, points)[..., :3]


def farthest(a: Any, b: Any) -> float:
    """How far the farthest corner of one model is from the nearest of the other, both ways."""
    if not len(a) or not len(b):
        return 0.0 if len(a) == len(b) else float("inf")
    a, b = (np.unique(corners.reshape(-1, 3), axis=0) for corners in (a, b))
    off = 0.0
    for one, other in ((a, b), (b, a)):
        for some in np.array_split(one, len(one) // 256 + 1):
            apart = ((some[:, None] - other[None]) ** 2).sum(axis=2).min(axis=1)
            off = max(off, float(apart.max(initial=0.0)))
    return float(np.sqrt(off))
