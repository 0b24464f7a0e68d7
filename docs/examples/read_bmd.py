#!/usr/bin/env python3
"""A reader for BMD in plain Python, written from docs/formats/bmd.md alone.

    read_bmd.py FILE...             what is in the files, as JSON
    read_bmd.py --check FILE...     compare with the values in FILE.json (vectors/bmd)

It takes sound files and does not check much: an index out of range ends it with an exception. Take it as a beginning for
a reader in your own language.
"""

import json
import math
import pathlib
import struct
import sys

# --- section 4: packed numbers


def f8a(code):
    if code & 0x7F == 0:
        return 0.0
    value = (16 + (code & 15)) * 2.0 ** ((code >> 4 & 7) - 11)
    return -value if code & 0x80 else value


def se32(word):
    fractions = [word >> shift & 0x1FF for shift in (0, 9, 18)]
    step = 2.0 ** ((word >> 27) - 22)
    return [(f - 512 if f & 0x100 else f) * step for f in fractions]


def raw_quaternion(word):
    if word in (0, 0xFFFFFFFF):
        return [0.0, 0.0, 0.0, 1.0]
    return [f8a(word >> shift & 0xFF) for shift in (0, 8, 16, 24)]


def unit(values):
    length = math.sqrt(sum(v * v for v in values))
    return [v / length for v in values] if length else [0.0, 0.0, 0.0, 1.0]


def st11(word):
    return [((word >> shift & 0x7FF) / 1024 - 0.5) * 4.0 ** (word >> 22 & 3) for shift in (0, 11)]


def st12(word):
    return [(word >> shift & 0xFFF) / 2048 - 0.5 for shift in (0, 12)]


def st14(word):
    return [((word >> shift & 0x3FFF) / 4096 - 2) * 2.0 ** (word >> 28) for shift in (0, 14)]


# --- section 5: vertices


def vertex(data, at, flat):
    """A vertex, and how many bytes it has."""
    tag = data[at + 7]
    normal = lambda first: [f8a(code) for code in data[at + first : at + first + 3]]
    if tag >= 0xFC:
        x, y, z, shade, _, st = struct.unpack_from("<3eBBI", data, at)
        return 16, dict(kind="128", tag=tag, position=[x, y, z], st=st14(st), normal=normal(12), bone=data[at + 15], shade=shade)
    position = se32(struct.unpack_from("<I", data, at)[0])
    st = int.from_bytes(data[at + 4 : at + 7], "little")
    if tag >= 0xF0:
        hangs_on_bone, last = tag & 2, data[at + 11]
        return 12, dict(
            kind="96", tag=tag, position=position, st=st11(st) if tag & 1 else st12(st), normal=normal(8),
            bone=last if hangs_on_bone else 0, shade=None if hangs_on_bone else last,
        )
    if flat:
        return 8, dict(kind="64c", tag=None, position=position, st=[0.0, 0.0], normal=normal(4), bone=tag, shade=None)
    return 8, dict(kind="64t", tag=None, position=position, st=st11(st), normal=None, bone=tag, shade=None)


# --- section 6: triangles and quads

ELEMENTS = {  # kind, bytes, first bit of each index, bits of an index
    0: ("t32", 4, (2, 12, 22), 10),
    1: ("q32", 4, (2, 9, 16, 23), 7),
    2: ("t64", 8, (2, 22, 42), 20),
    3: ("q64", 8, (2, 17, 32, 47), 15),
}


def elements(data, at, size):
    end = at + size
    while at < end:
        kind, length, shifts, bits = ELEMENTS[data[at] & 3]
        word = int.from_bytes(data[at : at + length], "little")
        yield {"kind": kind, "v": [word >> shift & (1 << bits) - 1 for shift in shifts]}
        at += length


# --- section 3: the file


def name(data, at):
    if at == 0:
        return None
    raw = data[at : data.index(0, at)]
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def flat_colour(material):
    digits = material[1:] if material and material.startswith("#") else ""
    if len(digits) != 6 or any(c not in "0123456789abcdefABCDEF" for c in digits):
        return None
    return [int(digits[i : i + 2], 16) for i in (0, 2, 4)]


def mesh(data, at):
    vertices_at, faces_at, material_at, count, triangles, _, face_bytes, flags, _ = struct.unpack_from("<IIIHHIIII", data, at)
    material = name(data, material_at)
    flat = bool(material) and material.startswith("#")
    vertices = []
    for _ in range(count):
        length, it = vertex(data, vertices_at, flat)
        vertices.append(it)
        vertices_at += length
    each = lambda key: [v[key] for v in vertices]
    return {
        "material": material, "flat_color": flat_colour(material), "flags": flags, "n_vtx": count, "n_tris": triangles,
        "positions": each("position"), "normals": each("normal"), "uvs": each("st"), "bones": each("bone"),
        "shades": each("shade"), "vertex_kinds": each("kind"), "vertex_tags": each("tag"),
        "primitives": list(elements(data, faces_at, face_bytes)),
    }


def level(data, at):
    first, count, scale, _ = data[at : at + 4]
    return {"first": first, "count": count, "ld_sc": scale, "scale": f8a(scale)}


def bone(data, at, index):
    translation, rotation, name_at, parent, solid = struct.unpack_from("<IIIBB", data, at)
    it = {"index": index, "name": name(data, name_at), "parent": parent, "solid": solid, "pseudo": parent == 0xFF}
    if it["pseudo"]:
        it["pseudo_bones"] = list(data[at : at + 4])
        it["pseudo_weights"] = [f8a(code) for code in data[at + 4 : at + 8]]
    else:
        raw = raw_quaternion(rotation)
        it.update(translation=se32(translation), rotation_raw=raw, rotation=unit(raw))
    return it


# --- section 9: animations


def track(data, at):
    """The keys of one bone, and where those of the next begin."""
    keys = {"rotation": [], "translation": [], "scale": []}
    frame = 0
    while True:
        tag = data[at]
        at += 1
        if tag == 0:
            return keys, at
        frame += tag & 31
        for bit, what in ((0x80, "rotation"), (0x40, "translation"), (0x20, "scale")):
            if tag & bit:
                word = struct.unpack_from("<I", data, at)[0]
                at += 4
                if word == 0xFFFFFFFF:
                    continue
                if what == "rotation":
                    raw = raw_quaternion(word)
                    keys[what].append({"frame": frame, "raw": raw, "value": unit(raw)})
                else:
                    keys[what].append({"frame": frame, "value": se32(word)})
        frame += 1


def animation(data, at, animated):
    name_at, frames, rate, _, entries, _ = struct.unpack_from("<IBBHII", data, at)
    tracks = []
    for index in range(animated):
        keys, entries = track(data, entries)
        tracks.append({"bone": index, **keys})
    return {"name": name(data, name_at), "n_frames": frames, "loop": not rate & 0x80, "hz": (rate & 0x7F) / 4, "tracks": tracks}


def read(data):
    if data[:4] != b"BMD1" or len(data) < 48:
        raise ValueError("no BMD file")
    tables = struct.unpack_from("<8I", data, 16)
    records = lambda table, size: range(tables[2 * table], tables[2 * table] + tables[2 * table + 1] // size * size, size)
    bones = [bone(data, at, i) for i, at in enumerate(records(2, 16))]
    animated = max((i + 1 for i, b in enumerate(bones) if not b["pseudo"]), default=0)
    return {
        "meshes": [mesh(data, at) for at in records(0, 32)],
        "lods": [level(data, at) for at in records(1, 4)],
        "bones": bones,
        "anims": [animation(data, at, animated) for at in records(3, 16)],
    }


# --- sections 8 and 9: poses


def value_at(keys, frame, count, loops, nothing):
    if not keys:
        return nothing
    first, last = keys[0], keys[-1]
    before = max((k for k in keys if k["frame"] <= frame), key=lambda k: k["frame"], default=None)
    after = min((k for k in keys if k["frame"] >= frame), key=lambda k: k["frame"], default=None)
    a, b = before or (last if loops else first), after or (first if loops else last)
    start = a["frame"] if before else a["frame"] - count if loops else a["frame"]
    end = b["frame"] if after else b["frame"] + count if loops else b["frame"]
    part = (frame - start) / (end - start) if end > start else 0.0
    return [x + (y - x) * part for x, y in zip(a["value"], b["value"])]


def product(a, b):
    return [[sum(a[r][k] * b[k][c] for k in range(4)) for c in range(4)] for r in range(4)]


def turned(p, q):
    """The Hamilton product of two quaternions."""
    (ax, ay, az, aw), (bx, by, bz, bw) = p, q
    return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]


def matrix(t, q, s):
    x, y, z, w = unit(q)
    r = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return [[r[i][j] * s[j] for j in range(3)] + [t[i]] for i in range(3)] + [[0.0, 0.0, 0.0, 1.0]]


def pose(model, anim=None, frame=0):
    """The matrix of every bone in the model."""
    identity = matrix([0, 0, 0], [0, 0, 0, 1], [1, 1, 1])
    matrices = []
    for i, b in enumerate(model["bones"]):
        if i == 0:
            matrices.append(identity)
        elif b["pseudo"]:
            parts = [(w, matrices[j]) for w, j in zip(b["pseudo_weights"], b["pseudo_bones"]) if w > 0]
            total = sum(w for w, _ in parts)
            matrices.append([[sum(w * m[r][c] for w, m in parts) / total for c in range(4)] for r in range(4)])
        else:
            keys = anim["tracks"][i] if anim else {"translation": [], "rotation": [], "scale": []}
            at = lambda what, nothing: value_at(keys[what], frame, anim["n_frames"] if anim else 0, bool(anim and anim["loop"]), nothing)
            moved = [x + y for x, y in zip(b["translation"], at("translation", [0, 0, 0]))]
            turn = turned(unit(at("rotation", [0, 0, 0, 1])), b["rotation"])
            matrices.append(product(matrices[b["parent"]], matrix(moved, turn, at("scale", [1, 1, 1]))))
    return matrices or [identity]


# --- the program


def differences(expected, found, path=""):
    if isinstance(expected, dict):
        for key in expected.keys() - {"note", "pose_checks"}:
            yield from differences(expected[key], found[key], f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for i, (e, f) in enumerate(zip(expected, found)):
            yield from differences(e, f, f"{path}[{i}]")
    elif isinstance(expected, float) and "rotation" in path:
        if abs(expected - found) > 1e-6:
            yield f"{path}: {found}, not {expected}"
    elif expected != found:
        yield f"{path}: {found}, not {expected}"


def wrong_poses(model, checks):
    for check in checks:
        anim = next((a for a in model["anims"] if a["name"] == check.get("anim")), None)
        it = model["meshes"][check["mesh"]]
        m = pose(model, anim, check.get("frame") or 0)[it["bones"][check["vertex"]]]
        place = [sum(a * b for a, b in zip(row, it["positions"][check["vertex"]] + [1])) for row in m[:3]]
        if math.dist(place, check["position"]) > 1e-5:
            yield f"{check}: at {place}"


def main(arguments):
    checking, failed = "--check" in arguments, False
    for path in map(pathlib.Path, (a for a in arguments if a != "--check")):
        model = read(path.read_bytes())
        if not checking:
            print(json.dumps(model))
            continue
        expected = json.loads(path.with_suffix(".json").read_text())
        wrong = [*differences(expected, model), *wrong_poses(model, expected.get("pose_checks", []))]
        print(f"{path.name}: {'; '.join(wrong[:5]) if wrong else 'as expected'}")
        failed |= bool(wrong)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
