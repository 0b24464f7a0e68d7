"""Small BMD files, each with one thing wrong. Written from docs/formats/bmd.md alone."""

import struct

ONE = 0x70  # F8A 1.0
NO_TURN = 0x70000000


def se32(x, y, z, e=None):
    """Three numbers as one word, with the smallest exponent that holds them unless one is asked for."""
    for exponent in range(32) if e is None else [e]:
        parts = [v * 2.0 ** (22 - exponent) for v in (x, y, z)]
        if all(p == int(p) and -256 <= p <= 255 for p in parts):
            fx, fy, fz = (int(p) & 0x1FF for p in parts)
            return exponent << 27 | fz << 18 | fy << 9 | fx
    raise ValueError((x, y, z, e))


def flat(x, y, z, bone=0, e=None):
    """A 64-bit vertex of a mesh in one colour, facing up."""
    return struct.pack("<I4B", se32(x, y, z, e), 0, 0, ONE, bone)


def wide(x, y, z, bone=0, tag=0xFD, st=0x02002000 | 0x2000 << 14 & 0x0FFFFFFF):
    """A 128-bit vertex."""
    return struct.pack("<3e2BI4B", x, y, z, 0x0F, tag, st, 0, 0, ONE, bone)


def middle(x, y, z, tag, last):
    """A 96-bit vertex."""
    return struct.pack("<I4B4B", se32(x, y, z), 0, 0, 0, tag, 0, 0, ONE, last)


def triangle(a, b, c):
    return struct.pack("<I", c << 22 | b << 12 | a << 2)


def quad(a, b, c, d, spare=0):
    return struct.pack("<I", spare << 30 | d << 23 | c << 16 | b << 9 | a << 2 | 1)


def quad64(a, b, c, d):
    return struct.pack("<Q", d << 47 | c << 32 | b << 17 | a << 2 | 3)


CORNERS = [(0, 0, 0), (64, 0, 0), (0, 64, 0), (0, 0, 64)]
TETRAHEDRON = b"".join(triangle(*t) for t in [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])


def mesh(**changes):
    """A mesh of one triangle; what it is told otherwise is otherwise."""
    it = dict(vertices=[flat(*c) for c in CORNERS[:3]], faces=triangle(0, 1, 2), material=b"#C08040", flags=0, reserved=0)
    it.update(changes)
    return it


def solid(bone=0):
    return mesh(vertices=[flat(*c, bone=bone) for c in CORNERS], faces=TETRAHEDRON, material=None)


def bone(name=b"", place=(0, 0, 0), parent=0, **changes):
    it = dict(name=name, word=se32(*place), turn=NO_TURN, parent=parent, solid=0, reserved=0)
    it.update(changes)
    return it


def anim(name, frames=4, rate=40, entries=b"\0\0", **changes):
    it = dict(name=name, frames=frames, rate=rate, entries=entries, reserved=0)
    it.update(changes)
    return it


def file(meshes=None, lods=None, bones=(), anims=(), header=(0, 0, 0), magic=b"BMD1"):
    """The bytes of a model: tables behind the header, then lists, then names."""
    meshes = [mesh()] if meshes is None else meshes
    lods = [(0, len(meshes), ONE, 0)] if lods is None else lods
    out = bytearray(64)

    def put(data, align=16):
        out.extend(bytes(-len(out) % align))
        at = len(out)
        out.extend(data)
        return at

    tables, names = [], {}
    for count, size in [(len(meshes), 32), (len(lods), 4), (len(bones), 16), (len(anims), 16)]:
        tables += [put(bytes(count * size)), count * size] if count else [0, 0]

    def name(text):
        if text is None:
            return 0
        if text not in names:
            names[text] = put(text + b"\0", 1)
        return names[text]

    for i, m in enumerate(meshes):
        vertices, faces = b"".join(m["vertices"]), m["faces"]
        record = dict(v=put(vertices), f=put(faces), m=name(m["material"]))
        quads = sum(1 for at in elements(faces) if faces[at] & 1)
        triangles = len(list(elements(faces))) + (quads if len(m["vertices"]) <= 1024 else 0)
        struct.pack_into(
            "<IIIHHIIII", out, tables[0] + 32 * i,
            m.get("at", record["v"]), m.get("faces_at", record["f"]), m.get("material_at", record["m"]),
            m.get("count", len(m["vertices"])), m.get("triangles", triangles),
            m.get("bytes", len(vertices)), m.get("face_bytes", len(faces)), m["flags"], m["reserved"],
        )
    for i, entry in enumerate(lods):
        struct.pack_into("<4B", out, tables[2] + 4 * i, *entry)
    for i, b in enumerate(bones):
        struct.pack_into("<IIIBBH", out, tables[4] + 16 * i, b["word"], b["turn"], name(b["name"]), b["parent"], b["solid"], b["reserved"])
    for i, a in enumerate(anims):
        at = put(a["entries"])
        struct.pack_into("<IBBHII", out, tables[6] + 16 * i, name(a["name"]), a["frames"], a["rate"], a["reserved"], a.get("at", at), a.get("bytes", len(a["entries"])))
    struct.pack_into("<4s3I8I", out, 0, magic, *header, *tables)
    return bytes(out)


def elements(faces):
    at = 0
    while at + (8 if faces[at] & 2 else 4) <= len(faces) if at < len(faces) else False:
        yield at
        at += 8 if faces[at] & 2 else 4


def patched(data, at, form, *values):
    data = bytearray(data)
    struct.pack_into(form, data, at, *values)
    return bytes(data)


SEQUENCES = [b"walk", b"run", b"stand"]


def moving(entries=b"\0\0", names=SEQUENCES, bones=None, rest=None, meshes=None, **changes):
    """A model of two bones with the three sequences that the game looks for; the first has the entries."""
    bones = [bone(b"base"), bone(b"hip", (0, 0, 32))] if bones is None else bones
    rest = bytes(len(bones)) if rest is None else rest
    anims = [anim(names[0], entries=entries, **changes)] + [anim(n, entries=rest) for n in names[1:]]
    meshes = [mesh(vertices=[flat(*c, bone=1) for c in CORNERS[:3]])] if meshes is None else meshes
    return file(meshes=meshes, bones=bones, anims=anims)


def turn(tag, *f8a):
    return bytes([tag, *f8a])


def files():
    yield "magic", file(magic=b"BMD2")
    yield "table-outside", patched(file(), 0x10, "<I", 4000)
    yield "table-size", patched(file(), 0x14, "<I", 33)
    yield "reserved", file(header=(0, 7, 0))
    yield "list-outside", file([mesh(at=5000)])
    yield "vertex-list-short", file([mesh(bytes=20)])
    yield "list-surplus", file([mesh(bytes=32)])
    yield "face-cut", file([mesh(faces=triangle(0, 1, 2) + b"\2\0\0\0", flags=4, triangles=1)])
    yield "triangle-count", file([mesh(triangles=3, faces=triangle(0, 1, 2) * 4)])
    yield "index-out-of-range", file([mesh(faces=triangle(0, 1, 3))])
    yield "spare-bits", file([mesh(vertices=[flat(*c) for c in [*CORNERS[:3], (64, 64, 0)]], faces=quad(0, 1, 3, 2, spare=1), flags=4, triangles=1)])
    yield "vertex-tag-alias", file([mesh(vertices=[middle(*c, 0xF8, 0x0F) for c in CORNERS[:2]] + [middle(*CORNERS[2], 0xF0, 0x0F)], flags=3)])
    yield "vertex-tag", file([mesh(vertices=[wide(*c) for c in CORNERS[:2]] + [wide(*CORNERS[2], tag=0xFE)], flags=2)])
    yield "not-finite", file([mesh(vertices=[wide(*c) for c in CORNERS[:2]] + [wide(0, float("inf"), 0)], flags=2)])
    yield "bone-range", file([mesh(vertices=[flat(*c, bone=5) for c in CORNERS[:3]])])
    yield "flags", file([mesh(flags=2)])
    yield "material-colour", file([mesh(material=b"#orange")])
    yield "string", file([mesh(material_at=4000)])
    yield "string-long", moving(bones=[bone(b"base"), bone(b"n" * 256, (0, 0, 32))])
    yield "name-not-utf8", moving(bones=[bone(b"base"), bone(b"h\xfcfte", (0, 0, 32))])
    yield "lod-range", file(lods=[(0, 1, ONE, 0), (1, 1, 0x10, 0)])
    yield "lod-undrawn", file([mesh(), mesh(material=None)], lods=[(0, 1, ONE, 0), (1, 1, 0x10, 0)])
    yield "lod-scale", file(lods=[(0, 1, 0x7F, 0)])
    yield "root-bone", moving(bones=[bone(b"base", (0, 0, 8)), bone(b"hip", (0, 0, 32))])
    yield "parent", moving(bones=[bone(b"base"), bone(b"hip", (0, 0, 32), parent=1)])
    many = [bone(b"base")] + [bone(b"b", (0, 0, 1)) for _ in range(256)]
    yield "bone-count", moving(bones=many, entries=bytes(257))
    blend = dict(parent=0xFF)
    word = lambda *ids: struct.unpack("<I", bytes(ids))[0]
    two = [bone(b"base"), bone(b"hip", (0, 0, 32))]
    yield "pseudo-bone", moving(bones=[*two, bone(b"mix", word=word(1, 9, 0, 0), turn=word(0x60, 0x60, 0, 0), **blend)], entries=b"\0\0", rest=b"\0\0")
    yield "pseudo-weights", moving(bones=[*two, bone(b"mix", word=word(1, 0, 0, 0), turn=word(0xE0, 0, 0, 0), **blend)], entries=b"\0\0", rest=b"\0\0")
    yield "pseudo-order", moving(bones=[*two, bone(b"mix", word=word(1, 0, 0, 0), turn=word(0x70, 0, 0, 0), **blend), bone(b"arm", (0, 0, 8), 1)], entries=bytes(4), rest=bytes(4))
    with_solid = lambda m, s=1: moving(bones=[bone(b"base"), bone(b"hip", (0, 0, 32), solid=s)], meshes=[mesh(vertices=[flat(*c, bone=1) for c in CORNERS[:3]]), *([m] if m else [])])
    levels = lambda data: patched(data, struct.unpack_from("<I", data, 0x18)[0] + 1, "<B", 1)
    yield "solid-range", with_solid(None, 7)
    yield "solid-open", levels(with_solid(mesh(material=None)))
    twice = [flat(*c) for c in [*CORNERS, CORNERS[0]]]
    yield "solid-vertices", levels(with_solid(mesh(vertices=twice, faces=TETRAHEDRON, material=None)))
    through = [(16, 16, -32), (80, 16, -32), (16, 80, -32), (16, 16, 32)]
    both = b"".join(triangle(*(first + c for c in t)) for first in (0, 4) for t in [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])
    yield "solid-crossing", levels(with_solid(mesh(vertices=[flat(*c) for c in [*CORNERS, *through]], faces=both, material=None)))
    three = [bone(b"base"), bone(b"hip", (0, 0, 32), solid=1), bone(b"arm", (0, 0, 8))]
    yield "solid-bones", levels(moving(bones=three, entries=bytes(3), meshes=[mesh(vertices=[flat(*c, bone=1) for c in CORNERS[:3]]), solid(2)]))
    yield "no-bones", file(anims=[anim(b"walk", entries=b"")])
    yield "frames-open", moving(entries=b"\0")
    yield "frames-surplus", moving(entries=b"\0\0\0")
    yield "frame-range", moving(entries=b"\0" + turn(0x80, 0, 0, 0, ONE) + turn(0x84, 0, 0, 0, ONE) + b"\0", frames=4)
    yield "key-none", moving(entries=b"\0" + turn(0x80, 255, 255, 255, 255) + b"\0")
    yield "rate", moving(rate=0)
    yield "wasted-range", file([mesh(vertices=[flat(0, 0, 0), flat(64, 0, 0, e=25), flat(0, 64, 0, e=25)])])
    yield "saturated", file([mesh(vertices=[flat(0, 0, 0), flat(-131072, 0, 0, e=31), flat(0, 64, 0)])])
    old = lambda s, t: struct.unpack("<I", struct.pack("<hh", int(s * 4096), int(t * 4096)))[0]
    legacy = [wide(*c, st=old(*st)) for c, st in zip(CORNERS[:3], [(0, -1), (0.5, -0.5), (1, -0.25)])]
    yield "st-reading", file([mesh(vertices=legacy, flags=2)])
    shared = [mesh(vertices=[], at=0, bytes=800, count=100, faces=b"", material_at=0, material=None) for _ in range(60)]
    yield "too-much-shared", file(shared, lods=[(0, 0, 0, 0)])
    yield "engine-triangle-room", file([mesh(faces=triangle(0, 1, 2) * 4)])
    yield "engine-static-shading", file([mesh(), mesh(vertices=[flat(*c) for c in CORNERS])])
    yield "engine-pseudo-bone", moving(bones=[*two, bone(b"mix", word=word(1, 0, 0, 0), turn=word(0x60, 0x60, 0, 0), **blend)], entries=b"\0\0", rest=b"\0\0")
    yield "engine-bones", moving(bones=[bone(b"base")] + [bone(b"b", (0, 0, 1)) for _ in range(64)], entries=bytes(65))
    yield "engine-no-animation", file(bones=two)
    yield "engine-no-frames", moving(frames=0)
    yield "engine-last-frame", moving(bones=[*two, bone(b"arm", (0, 0, 8))], entries=b"\0" + turn(0x83, 0, 0, 0, ONE) + b"\0\0", rest=bytes(3))
    yield "engine-material", file([mesh(material=b"red")])
    yield "engine-quad-count", file([mesh(vertices=[flat(*c) for c in [*CORNERS[:3], (64, 64, 0)]], faces=quad(0, 1, 3, 2), flags=4)])
    yield "engine-quad-64", file([mesh(vertices=[flat(*c) for c in [*CORNERS[:3], (64, 64, 0)]], faces=quad64(0, 1, 3, 2), flags=12, triangles=1)])
    scale = lambda tag, x: bytes([tag]) + struct.pack("<I", se32(x, 1, 1))
    yield "engine-scale-keys", moving(entries=b"\0" + scale(0x20, 2) + b"\0")
    half = [0x50, 0x6F]
    yield "engine-pose", moving(entries=b"\0" + turn(0x80, 0, 0, 0, ONE) + turn(0x81, ONE, 0, 0, 0xE0) + b"\0", frames=4, rate=0x80 | 40)
    yield "engine-tables", file(lods=[(0, 1, ONE, 0)] * 65)
    yield "engine-animation-name", moving(names=[None, *SEQUENCES])
    yield "engine-sequences", moving(names=[b"walk", b"run", b"sit"])
