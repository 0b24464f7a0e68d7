"""Small BO3D files, each with one thing wrong. Written from docs/formats/bo3d.md alone."""

import struct

TURN = (1, 0, 0, 0)
CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]


def pad(data, with_=b"\0"):
    return data + with_ * (-len(data) % 4)


def key(frame, position=(0, 0, 0), scale=(1, 1, 1), turn=TURN):
    return struct.pack("<i10f", frame, *position, *scale, *turn)


def entity(name=b"root", parent=-1, position=(0, 0, 0), scale=(1, 1, 1), turn=TURN, length=0, keys=(), mesh=None, after=b"", size=None, padding=b"\0"):
    body = b"".join(keys) + pad(name, padding)
    vertices = len(mesh["vertices"]) if mesh else 0
    head = struct.pack("<i10f4i", parent, *position, *scale, *turn, length, len(keys), len(name), vertices)
    if mesh:
        colours, triangles, texture, bones = mesh["colours"], mesh["triangles"], mesh["texture"], mesh["bones"]
        head += struct.pack("<3i4BfIi", len(colours), len(triangles), len(texture), 255, 255, 255, 255, mesh["alpha"], mesh["fx"], len(bones))
        body += b"".join(struct.pack("<8f", 0, 0, 0, 0, 1, *v) for v in mesh["vertices"])
        body += pad(b"".join(bytes(c) for c in colours))
        body += pad(b"".join(struct.pack("<3H", *t) for t in triangles))
        body += pad(texture) + b"".join(struct.pack("<3i", *b) for b in bones)
    data = head + body + after
    return struct.pack("<i", len(data) + 4 if size is None else size) + data


def mesh(**changes):
    it = dict(vertices=CORNERS, colours=[], triangles=[(0, 1, 2)], texture=b"", alpha=1.0, fx=0, bones=[])
    it.update(changes)
    return it


def file(*entities, magic=b"BO3D", version=100, bits=32, length=None, after=b""):
    entities = entities or (entity(mesh=mesh()),)
    body = b"".join(entities)
    return struct.pack("<4s4i", magic, version, len(entities), len(body) if length is None else length, bits) + body + after


def skinned(bones, *more):
    return file(entity(mesh=mesh(bones=bones)), entity(b"bone", 0), *more)


def animated(keys, length=4, **changes):
    return file(entity(length=length), entity(b"arm", 0, keys=keys, mesh=mesh(), **changes))


STILL = [key(f) for f in range(3)]
HALF = (0, 0, 1, 0)


def files():
    yield "magic", file(magic=b"BO4D")
    yield "version-newer", file(version=101)
    yield "version-older", file(version=99)
    yield "vfloat-width", file(bits=64)
    yield "size-too-small", file(entity(size=60))
    yield "size-past-end", file(entity(size=400))
    yield "list-past-definition", file(entity(), entity(b"mesh", 0, mesh=mesh(), size=120))
    yield "entity-list-length", file(length=8)
    yield "trailing-bytes", file(after=b"more")
    yield "surplus-bytes", file(entity(mesh=mesh(), after=b"more"))
    yield "unaligned-size", file(entity(), entity(b"abc", 0, size=67))
    yield "padding-not-zero", file(entity(b"abc", padding=b"!"))
    yield "parent", file(entity(), entity(b"child", 5))
    yield "root-parent", file(entity(parent=1), entity(b"child", 0))
    yield "bone-entity-range", skinned([(9, 0, 2)])
    yield "bone-vertex-range", skinned([(1, 0, 5)])
    yield "bone-overlap", skinned([(1, 0, 1), (2, 1, 2)], entity(b"other", 0))
    yield "triangle-index", file(entity(mesh=mesh(triangles=[(0, 1, 3)])))
    yield "colour-count", file(entity(mesh=mesh(colours=[(255, 0, 0)])))
    yield "no-triangles", file(entity(mesh=mesh(triangles=[])))
    yield "duplicate-name", file(entity(), entity(b"child", 0), entity(b"child", 0))
    yield "name-not-utf8", file(entity(b"R\xfcck"))
    yield "key-order", animated([key(0), key(2), key(1)])
    yield "animation-length", file(entity(length=-1))
    yield "rotation", file(entity(turn=(0, 0, 0, 0)))
    yield "unknown-fx", file(entity(mesh=mesh(fx=64)))
    yield "frame-rate", animated(STILL)
    yield "shear", file(entity(length=4), entity(b"tall", 0, scale=(1, 2, 1)), entity(b"arm", 1, turn=(0.9238795, 0, 0, 0.3826834), keys=[key(f, turn=(0.9238795, 0, 0, 0.3826834)) for f in range(3)], mesh=mesh()))
    yield "singular-bone", file(entity(mesh=mesh(bones=[(1, 0, 2)])), entity(b"bone", 0, scale=(0, 0, 0)))
    yield "engine-key-name", file(entity(length=4), entity(b"arm", 0), entity(b"arm", 0, keys=STILL, mesh=mesh()))
    yield "engine-root-keys", file(entity(length=4, keys=[key(f, (f, 0, 0)) for f in range(3)], mesh=mesh()))
    yield "engine-length", animated(STILL, length=1)
    yield "engine-signs", animated([key(0), key(1, turn=(-1, 0, 0, 0)), key(2)])
    yield "engine-parent-scale", file(entity(), entity(b"big", 0, scale=(2, 2, 2)), entity(b"arm", 1, position=(3, 0, 0), mesh=mesh()))
    yield "engine-first-key", animated([key(2, (5, 0, 0)), key(3, (5, 0, 0))], length=8)
    yield "engine-facing", file(entity(), entity(b"mirror", 0, scale=(-1, 1, 1), mesh=mesh()))
    yield "engine-pose", file(entity(), entity(b"big", 0, scale=(2, 2, 2)), entity(b"arm", 1, position=(3, 0, 0), mesh=mesh()))
