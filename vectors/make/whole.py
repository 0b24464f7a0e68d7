"""Writes a BOGLE file with something of everything, and its values: python3 vectors/make/whole.py

Every number is a sum of few powers of two, so that the values are exact.
"""

import hashlib
import json
import pathlib
import struct

import bogle

MADE = pathlib.Path(__file__).resolve().parents[2] / "crates/menagerie/tests/corpus/made/bogle"
HALF_TURN, QUARTER = [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.6, 0.8]
UNIT = [float(x) for x in bogle.UNIT]


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def at(x, y, z):
    return UNIT[:12] + [float(x), float(y), float(z), 1.0]


# A square in the plane of x and y: position, uv, normal, tangent, binormal, bones, weights.
SQUARE = [([x, y, 0.0], [x, y], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0, 1, 0], [1.0 - y, y, 0.0]) for x, y in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]]
# A triangle whose texture is mirrored, and that hangs on nothing.
TRIANGLE = [([x, 0.0, z], [1.0 - x, z], [0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0, 0, 0], [0.0, 0.0, 0.0]) for x, z in [(0.0, 0.0), (2.0, 0.0), (0.0, 2.0)]]
GEOMETRIES = [("Square", SQUARE, [0, 1, 2, 0, 2, 3]), ("Triangle", TRIANGLE, [0, 1, 2])]
CAMERAS = [dict(type=0, name="Front", width=1280, height=720, near=0.125, far=256.0, fov=0.75, main=1), dict(type=0, name="Side", width=480, height=640, near=0.5, far=64.0, fov=1.0, main=0)]
SLOTS = ["ambient", "emissive", "diffuse", "specular", "specular_power", "normal", "bump", "opacity"]
NUMBERS = ["opacity", "specular_power", "reflectance", "refraction", "index_of_refraction", "bump_intensity", "specular_scale", "alpha_threshold"]
MATERIALS = [
    dict(name="Wood", ambient=[0.25, 0.25, 0.25, 1.0], emissive=[0.0, 0.0, 0.0, 1.0], diffuse=[0.75, 0.5, 0.25, 1.0], specular=[0.5, 0.5, 0.5, 1.0], numbers=[1.0, 32.0, 0.0, 0.0, 1.0, 0.25, 512.0, 0.125], blend=0, textures={"diffuse": "wood", "normal": "wood.normal"}),
    dict(name="Glass", ambient=[0.0, 0.0, 0.0, 1.0], emissive=[0.0, 0.125, 0.25, 1.0], diffuse=[0.5, 0.75, 1.0, 1.0], specular=[1.0, 1.0, 1.0, 1.0], numbers=[0.5, 64.0, 0.25, 0.5, 0.65625, 0.0, 0.0, 0.125], blend=1, textures={}),
]
LIGHTS = [dict(type=0, name="Spot", color=[1.0, 0.5, 0.25, 1.0], numbers=[0.0, 15.0, 1.0, 128.0, 0.75]), dict(type=1, name="Sun", color=[1.0, 1.0, 0.75, 1.0], numbers=[0.0, -15.0, 1.0, 2.0, 0.0]), dict(type=2, name="Lamp", color=[0.5, 0.5, 1.0, 1.0], numbers=[0.0, 0.0, 1.0, 64.0, 0.0])]
BONES = [dict(position=[0.0, 0.0, 0.0], rotation=[0.0, 0.0, 0.0, 1.0], parent=0), dict(position=[0.0, 0.5, 0.0], rotation=[0.0, 0.0, 0.0, 1.0], parent=1)]
ANIMATIONS = [
    dict(name="Bend", times=[0.0, 0.5, 1.0], root_offsets=[[0.0, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.0]], rotations=[[[0.0, 0.0, 0.0, 1.0]] * 2, [[0.0, 0.0, 0.0, 1.0], QUARTER], [[0.0, 0.0, 0.0, 1.0], HALF_TURN]]),
    dict(name="Still", times=[0.0, 1.0], root_offsets=[[0.0, 0.0, 0.0]] * 2, rotations=[[[0.0, 0.0, 0.0, 1.0]] * 2] * 2),
]
PARTS = ["camera", "geometry", "material", "light", "animation_collection"]
INSTANCES = [
    dict(name="Room", matrix=at(0, 0, 1)),
    dict(name="Board", geometry=1, material=1, animation_collection=1, matrix=at(1, 0, 0)),
    dict(name="Pane", geometry=2, material=2, matrix=at(0, 2, 0)),
    dict(name="Eye", camera=1, matrix=at(0, 0, 8)),
    dict(name="Other eye", camera=2, matrix=at(8, 0, 0)),
    dict(name="Beam", light=1, matrix=at(0, 0, 4)),
    dict(name="Sky", light=2, matrix=UNIT),
    dict(name="Bulb", light=3, matrix=at(2, 2, 2)),
]
TREE, NESTED = b"0{1{}2{7{}}}3{}4{}5{}6{}", [[0, [[1, []], [2, [[7, []]]]]], [3, []], [4, []], [5, []], [6, []]]
AMBIENT = [0.125, 0.125, 0.25, 1.0]


def written():
    text = lambda name: bogle.text(name.encode())
    out = b"BOGLE" + struct.pack("<B6I4f", 0, len(CAMERAS), len(GEOMETRIES), len(MATERIALS), len(LIGHTS), 1, len(INSTANCES), *AMBIENT)
    for c in CAMERAS:
        out += struct.pack("<B", c["type"]) + text(c["name"]) + struct.pack("<II3fB", c["width"], c["height"], c["near"], c["far"], c["fov"], c["main"])
    for name, vertices, indices in GEOMETRIES:
        out += b"\0" + text(name) + struct.pack("<II", len(vertices), len(indices))
        out += b"".join(struct.pack("<20f", *sum(v, [])) for v in vertices) + struct.pack(f"<{len(indices)}I", *indices)
    for m in MATERIALS:
        out += b"\0\0" + text(m["name"]) + struct.pack("<24fB", *m["ambient"], *m["emissive"], *m["diffuse"], *m["specular"], *m["numbers"], m["blend"])
        out += b"".join(text(m["textures"].get(slot, "")) for slot in SLOTS)
    for l in LIGHTS:
        out += struct.pack("<B", l["type"]) + text(l["name"]) + struct.pack("<9f", *l["color"], *l["numbers"])
    out += b"\0" + text("Rig") + struct.pack("<I16fI", len(ANIMATIONS), *UNIT, len(BONES))
    out += b"".join(struct.pack("<7fI", *b["position"], *b["rotation"], b["parent"]) for b in BONES)
    for a in ANIMATIONS:
        out += text(a["name"]) + struct.pack("<I", len(a["times"]))
        for time, offset, rotations in zip(a["times"], a["root_offsets"], a["rotations"]):
            out += struct.pack("<4f", time, *offset) + struct.pack(f"<{4 * len(rotations)}f", *sum(rotations, []))
    for i in INSTANCES:
        out += text(i["name"]) + struct.pack("<5I16f", *(i.get(part, 0) for part in PARTS), *i["matrix"])
    return out + TREE + b"\0"


def geometry(name, vertices, indices):
    column = lambda i: [v[i] for v in vertices]
    sha = lambda form, rows: hashlib.sha256(b"".join(struct.pack(f"<{len(row)}{form}", *row) for row in rows)).hexdigest()
    bounds = lambda rows: {"min": [min(c) for c in zip(*rows)], "max": [max(c) for c in zip(*rows)]}
    names = ["positions", "uvs", "normals", "tangents", "binormals"]
    hashes = {key: sha("f", column(i)) for i, key in enumerate(names)}
    hashes.update(bone_indices=sha("I", column(5)), weights=sha("f", column(6)), indices=sha("I", [indices]))
    return {
        "bone_index_encoding": "float", "bounds": bounds(column(0)), "uv_bounds": bounds(column(1)), "hashes": hashes, "index_count": len(indices),
        "max_bone_index": max(max(b) for b in column(5)), "name": name, "skinned_vertices": sum(any(w > 0 for w in v[6]) for v in vertices), "type": 0,
        "vertex_count": len(vertices),
    }


def values(data):
    materials = [dict(name=m["name"], type=0, shader=0, alpha_blending=m["blend"], textures=m["textures"], **{k: m[k] for k in ("ambient", "emissive", "diffuse", "specular")}, **dict(zip(NUMBERS, m["numbers"]))) for m in MATERIALS]
    kinds = ["spot", "directional", "point"]
    lights = [dict(type=l["type"], kind=kinds[l["type"]], name=l["name"], color=l["color"], **dict(zip(["constant", "linear", "quadratic", "intensity", "angle"], l["numbers"]))) for l in LIGHTS]
    animations = [dict(a, keyframe_count=len(a["times"]), rotations=[[[f32(x) for x in q] for q in key] for key in a["rotations"]]) for a in ANIMATIONS]
    return {
        "format": "BOGLE", "version": 0, "file_size": len(data), "global_ambient": AMBIENT, "warnings": [],
        "counts": dict(cameras=len(CAMERAS), geometries=len(GEOMETRIES), materials=len(MATERIALS), lights=len(LIGHTS), animation_collections=1, instances=len(INSTANCES)),
        "cameras": CAMERAS, "geometries": [geometry(*g) for g in GEOMETRIES], "materials": materials, "lights": lights,
        "animation_collections": [{"name": "Rig", "type": 0, "animations": animations, "skeleton": {"transform": UNIT, "bones": BONES}}],
        "instances": [dict({part: 0 for part in PARTS}, **i) for i in INSTANCES], "tree": NESTED, "tree_depth": 3,
    }


if __name__ == "__main__":
    bytes_ = written()
    (MADE / "everything.bgl").write_bytes(bytes_)
    (MADE / "everything.json").write_text(json.dumps(values(bytes_), sort_keys=True, indent=1) + "\n")
