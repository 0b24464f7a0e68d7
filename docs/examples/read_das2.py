#!/usr/bin/env python3
"""A reader for das2 in plain Python, written from docs/formats/das2.md alone: both profiles, both numberings.

    read_das2.py FILE...            what is in the files, as JSON
    read_das2.py --check FILE...    compare with the values in FILE.json (vectors/das2)

zstd, which one profile uses, needs the C library libzstd. Counts are checked against the bytes that are left by
reading itself: what is not there cannot be taken.
"""

import ctypes.util
import hashlib
import json
import math
import pathlib
import struct
import sys
import zlib

NONE, MAGIC = 0xFFFFFFFF, b"das2\0\0\0\0"
KINDS = {1: "buffer", 2: "mesh", 4: "mesh_group", 5: "node", 6: "scene", 7: "joint", 8: "skeleton", 9: "animation", 10: "channel", 11: "phong", 12: "pbr"}
LISTS = {kind: {"mesh": "meshes", "phong": "phong_materials", "pbr": "pbr_materials"}.get(kind, kind + "s") for kind in KINDS.values()}
MATERIAL_TYPES = ["unknown", "phong", "pbr"]
TARGETS = ["unknown", "weights", "translation", "rotation", "scale"]
WAYS = ["unknown", "linear", "step", "cubic_spline"]


def hash64(data):
    register = 0
    for byte in data.split(b"\0")[0]:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0xC96C5795D7870F42 if register & 1 else 0)
    return register ^ 0xFFFFFFFFFFFFFFFF


def unzstd(data):
    """All frames, one after the other, by the C library; Python has zstd of its own only from 3.14 on."""
    library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    library.ZSTD_decompressBound.restype = library.ZSTD_decompress.restype = ctypes.c_size_t
    room = ctypes.create_string_buffer(min(library.ZSTD_decompressBound(data, ctypes.c_size_t(len(data))), 1 << 30))
    size = library.ZSTD_decompress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)))
    if size > len(room):
        raise ValueError("the zstd body is broken")
    return room.raw[:size]


def number(x):
    return x if math.isfinite(x) else "NaN" if x != x else "Infinity" if x > 0 else "-Infinity"


class Reader:
    """The basic types of section 4, one after the other."""

    def __init__(self, data, library, shift=0):
        self.data, self.at, self.library, self.shift = data, 0, library, shift

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def one(self, form):
        return self.take(form)[0]

    def bytes(self, count):
        found = self.data[self.at : self.at + count]
        if len(found) < count:
            raise ValueError(f"{count} bytes are not there at {self.at}")
        self.at += count
        return found

    def floats(self, count):
        return [number(x) for x in self.take(f"{count}f")]

    def raw_text(self):
        length = self.one("H")
        hashed = self.one("Q") if self.library else None
        return self.bytes(length), hashed

    def text(self):
        raw = self.raw_text()[0]
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return {"hex": raw.hex()}

    def id(self):
        value = self.one("I")
        return None if value == NONE else value

    def ids(self):
        count = self.one("I")
        if count * 4 > len(self.data) - self.at:
            raise ValueError(f"{count} ids are not there")
        return [self.id() for _ in range(count)]

    def places(self, count):
        ids = None if self.library else [self.id() for _ in range(count)]
        offsets = self.take(f"{count}I")
        return [{"offset": o} for o in offsets] if ids is None else [{"buffer": i, "offset": o} for i, o in zip(ids, offsets)]

    def place(self):
        return self.places(1)[0]

    # --- section 5: records

    def record(self):
        byte = self.one("B")
        kind = KINDS.get(byte + self.shift if byte >= 3 else byte)
        if kind is None:
            raise ValueError(f"no record is called {byte}")
        return kind, getattr(self, kind)()

    def buffer(self):
        return self.bytes(self.one("I"))

    def mesh(self):
        it = {"index": self.place(), "draw_count": self.one("I"), "position": self.place(), "normal": self.place()}
        it.update(uv=self.places(8), color=self.place(), joint_indices=self.places(8), joint_weights=self.places(8))
        it.update(material_type=MATERIAL_TYPES[self.one("B")], material_id=self.id())
        it["morph_targets"] = [self.inner(3, self.morph_target) for _ in range(self.one("I"))]
        it["lods"] = [self.inner(2, self.mesh) for _ in range(self.one("I"))]
        return it

    def inner(self, byte, read):
        if self.one("B") != byte:
            raise ValueError(f"a record inside a mesh is not a {byte}")
        return read()

    def morph_target(self):
        return {"index": self.place(), "position": self.place(), "normal": self.place(), "uv": self.places(8), "color": self.place()}

    def mesh_group(self):
        return {"name": self.text(), "meshes": self.ids()}

    def placement(self):
        return {"rotation": self.floats(4), "translation": self.floats(3), "scale": self.floats(1)[0]}

    def node(self):
        return {"name": self.text(), "children": self.ids(), "mesh_group": self.id(), "skeleton": self.id(), "custom_transform": self.floats(16), **self.placement()}

    def scene(self):
        return {"name": self.text(), "roots": self.ids()}

    def joint(self):
        return {"name": self.text(), "children": self.ids(), "inverse_bind": self.floats(16), **self.placement()}

    def skeleton(self):
        return {"name": self.text(), "parent": self.id(), "joints": self.ids()}

    def animation(self):
        named = {"name": self.text()} if self.library else {}
        return {**named, "channels": self.ids()}

    def channel(self):
        it = {"node": self.id(), "joint": self.id(), "target": TARGETS[self.one("B")], "interpolation": WAYS[self.one("B")]}
        first, second = self.take("II")
        keys, it["weight_count"] = (second, first) if self.library else (first, second)
        width = {"unknown": 0, "weights": it["weight_count"], "translation": 3, "rotation": 4, "scale": 1}[it["target"]]
        if keys * (4 + 4 * width) > len(self.data) - self.at:
            raise ValueError(f"{keys} keys are not there")
        it["keyframes"] = self.floats(keys)
        cubic = it["interpolation"] == "cubic_spline"
        it["tangents"] = [[self.floats(width), self.floats(width)] for _ in range(keys)] if cubic else None
        it["values"] = [self.floats(width) for _ in range(keys)]
        return it

    def phong(self):
        it = {"name": self.text(), "diffuse": self.floats(4), "specular": self.floats(4), "emission": self.floats(4)}
        return {**it, "diffuse_map": self.text(), "specular_map": self.text(), "emission_map": self.text()}

    def pbr(self):
        it = {"name": self.text(), "albedo": self.floats(4), "emissive": self.floats(4)}
        it["roughness"], it["metallic"], it["ambient_occlusion"] = self.floats(3)
        maps = ["albedo", "emission", "metallic", "ambient_occlusion"] if self.library else ["albedo", "emission", "roughness", "metallic", "ambient_occlusion"]
        return {**it, **{name + "_map": self.text() for name in maps}}


# --- sections 3 and 11: the file, and which profile it has


def looks_like_library(data):
    try:
        r = Reader(data, True)
        r.bytes(8)
        texts = [r.raw_text(), r.raw_text()]
    except (struct.error, ValueError):
        return False
    good = all(known == hash64(raw) or not raw and known == 0 for raw, known in texts)
    return good and any(raw or known == 0xFFFFFFFFFFFFFFFF for raw, known in texts)


def attempt(data, library, shift):
    """The file read in one way to its last byte."""
    r = Reader(data, library, shift)
    r.bytes(8)
    header = dict(author=r.text(), comment=r.text())
    header.update(zip(["vertices_count", "mesh_count", "animation_count", "default_scene", "level"], r.take("4IB")))
    level, body = header["level"], data[r.at :]
    packing = "none"
    if library and level in (1, 9, 255) and body[:4] == b"\x28\xb5\x2f\xfd":
        packing, body = "zstd", unzstd(body)
    elif not library and level > 9:
        raise ValueError("no such level")
    elif not library and (level or body[:1] == b"\x78"):
        packing, body = ("zlib" if level else "zlib_level0"), zlib.decompress(body)
    r = Reader(body, library, shift)
    records = []
    while r.at < len(body):
        records.append(r.record())
    model = {"profile": "libdas2" if library else "spec", "numbering": "table" if shift else "heading", "compression": packing, "header": header}
    model["record_order"] = [kind for kind, _ in records]
    model.update({LISTS[kind]: [it for k, it in records if k == kind] for kind in KINDS.values()})
    return model


def broken(model):
    """How many ids name nothing."""
    lists = {"nodes": [("children", "nodes"), ("mesh_group", "mesh_groups"), ("skeleton", "skeletons")], "mesh_groups": [("meshes", "meshes")], "scenes": [("roots", "nodes")], "joints": [("children", "joints")], "skeletons": [("joints", "joints")], "animations": [("channels", "channels")]}
    ids = lambda value: value if isinstance(value, list) else [] if value is None else [value]
    return sum(i is None or i >= len(model[to]) for of, fields in lists.items() for it in model[of] for field, to in fields for i in ids(it[field]))


def read(data):
    if data[:8] != MAGIC:
        raise ValueError("no das2 file")
    for library in [True, False] if looks_like_library(data) else [False, True]:
        found = []
        for shift in [0] if library else [0, 1]:
            try:
                found.append(attempt(data, library, shift))
            except (ValueError, IndexError, struct.error, zlib.error):
                continue
        if found:
            model = min(found, key=broken)
            model["meshes"] = [with_geometry(mesh, model["buffers"], library) for mesh in model["meshes"]]
            model["buffers"] = [{"length": len(b), "sha256": hashlib.sha256(b).hexdigest()} for b in model["buffers"]]
            return model
    raise ValueError("in neither profile to its end")


def with_geometry(mesh, buffers, library):
    """What buffers hold: section 6."""

    def rows(place, count, form, always=False):
        if library and not always and place["offset"] in (0, NONE) or not library and place["buffer"] is None:
            return None
        size = struct.calcsize("<" + form)
        data = buffers[place.get("buffer", 0)][place["offset"] : place["offset"] + count * size]
        found = [list(map(number, row)) if "f" in form else list(row) for row in struct.iter_unpack("<" + form, data)]
        if len(found) < count:
            return {"error": "outside of its buffer"}
        return found if count <= 4096 else {"rows": count, "sha256": hashlib.sha256(data).hexdigest()}

    def attributes(it, count):
        return {"positions": rows(it["position"], count, "3f", True), "normals": rows(it["normal"], count, "3f"), "uvs": [rows(p, count, "2f") for p in it["uv"]], "colors": rows(it["color"], count, "4f")}

    indices = rows(mesh["index"], mesh["draw_count"], "I")
    indices = [i for (i,) in indices] if isinstance(indices, list) else indices
    count = max(indices) + 1 if indices else mesh["draw_count"]
    geometry = {"indices": indices, "vertex_count": count, **attributes(mesh, count)}
    geometry["joint_indices"] = [rows(p, count, "4H") for p in mesh["joint_indices"]]
    geometry["joint_weights"] = [rows(p, count, "4f") for p in mesh["joint_weights"]]
    geometry["morph_targets"] = [attributes(morph, count) for morph in mesh["morph_targets"]]
    return {**mesh, "geometry": geometry, "lods": [with_geometry(lod, buffers, library) for lod in mesh["lods"]]}


def differences(expected, found, path=""):
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in expected.keys() - {"issues"}:
            yield from differences(expected[key], found.get(key), f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for i, (e, f) in enumerate(zip(expected, found)):
            yield from differences(e, f, f"{path}[{i}]")
    elif expected != found:
        yield f"{path}: {str(found)[:60]}, not {str(expected)[:60]}"


def main(arguments):
    checking, failed = "--check" in arguments, False
    for path in map(pathlib.Path, (a for a in arguments if a != "--check")):
        try:
            model = read(path.read_bytes())
        except OSError as error:
            print(f"{path.name}: {error}")
            failed = True
            continue
        if not checking:
            print(json.dumps(model))
            continue
        wrong = list(differences(json.loads(path.with_suffix(".json").read_text()), model))
        print(f"{path.name}: {'; '.join(wrong[:5]) if wrong else 'as expected'}")
        failed |= bool(wrong)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
