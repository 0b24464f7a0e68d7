"""Small DGL2 files, each with one thing wrong. Written from docs/formats/dgl2.md alone."""

import struct

HEADER, END, TRIMESH, MATERIAL, ENTITY = range(5)


def chunk(kind, name=b"", data=b"", id=-1):
    return struct.pack("<HiHI", kind, id, len(name), len(data)) + name + data


def triangle(material=0, z=0.0):
    positions = [0, 0, z, 1, 0, z, 0, 1, z]
    return struct.pack("<i30f", material, *positions, *[0, 0, 1] * 3, *[0, 0, 1, 0, 0, 1] * 2)


def sized(text):
    return struct.pack("<I", len(text)) + text


def entity(text=b'visible="1";', kind=0, material=-1, mesh=0, turn=(0, 0, 0, 1), scale=(1, 1, 1), place=(0, 0, 0)):
    return struct.pack("<Iii10f", kind, material, mesh, *place, *turn, *scale) + sized(text)


GREY = b'diffuseColor="[0.5, 0.5, 0.5, 1.0]";'
START, STOP = chunk(HEADER, b"Scene"), chunk(END)
MESH = chunk(TRIMESH, b"Triangle", triangle(), 0)
PLACE = chunk(ENTITY, b"Object", entity(), 0)
PAINT = chunk(MATERIAL, b"Grey", sized(GREY), 0)


def paint(text):
    return chunk(MATERIAL, b"Grey", sized(text), 0)


def file(start=START, mesh=MESH, place=PLACE, paint=PAINT, more=b"", stop=STOP):
    return start + mesh + place + paint + more + stop


def files():
    yield "not-chunks", b"\x00\x00\xff\xff"
    yield "chunk-cut", file()[:-30]
    yield "no-header", file(start=b"")
    yield "more-headers", file(more=START)
    yield "no-end", file(stop=b"")
    yield "trailing-bytes", file() + b"more"
    yield "unknown-chunk", file(more=chunk(9, b"Later", b"data", 0))
    yield "trimesh-size", file(mesh=chunk(TRIMESH, b"Triangle", triangle() + b"\1\2\3\4", 0))
    yield "entity-size", file(more=chunk(ENTITY, b"Short", bytes(55), 1))
    yield "properties-size", file(place=chunk(ENTITY, b"Object", entity()[:-1], 0))
    yield "data-after-properties", file(place=chunk(ENTITY, b"Object", entity() + b"rest", 0))
    yield "duplicate-id", file(more=chunk(ENTITY, b"Other", entity(), 0))
    yield "duplicate-name", file(more=chunk(ENTITY, b"Object", entity(), 1))
    yield "no-name", file(mesh=chunk(TRIMESH, b"", triangle(), 0))
    yield "missing-mesh", file(place=chunk(ENTITY, b"Object", entity(mesh=7), 0))
    yield "missing-material", file(mesh=chunk(TRIMESH, b"Triangle", triangle(7), 0))
    yield "name-not-utf8", file(place=chunk(ENTITY, b"K\xf6rper", entity(), 0))
    yield "rotation", file(place=chunk(ENTITY, b"Object", entity(turn=(0, 0, 0, 0)), 0))
    yield "dml-not-utf8", file(paint=paint(GREY + b'note="\xfcber";'))
    yield "dml-syntax", file(paint=paint(GREY + b'note "no sign";'))
    yield "dml-semicolon", file(paint=paint(b'shadeless="0" ' + GREY))
    yield "dml-unquoted", file(paint=paint(b"shadeless=0;" + GREY))
    yield "dml-duplicate", file(paint=paint(b'shadeless="0";shadeless="1";' + GREY))
    yield "dml-value", file(paint=paint(b'diffuseColor="grey";'))
    yield "v-direction", file(paint=paint(GREY + b'texturesNum="1";texture0="[wall.png, 0]";'))
    yield "color-range", file(paint=paint(b'diffuseColor="[1.5, 0.5, 0.5, 1.0]";'))
    yield "texture-slot", file(paint=paint(GREY + b'texture8="[wall.png, 0]";'))
    yield "end-chunk", file(stop=chunk(END, b"name", b"data"))
    yield "header-id", file(start=chunk(HEADER, b"Scene", id=3))
    yield "shown-mesh", START + MESH + PAINT + PLACE[:-20]
    yield "engine-text", file(paint=paint(b"{" + GREY + b"}"))
    yield "engine-no-text", file(place=chunk(ENTITY, b"Object", entity(b""), 0))
    yield "engine-value", file(paint=paint(b'shadeless="no";'))
    yield "engine-mirrored", file(place=chunk(ENTITY, b"Object", entity(scale=(-1, 1, 1)), 0))
    yield "engine-entity-material", file(mesh=chunk(TRIMESH, b"Triangle", triangle(-1), 0), place=chunk(ENTITY, b"Object", entity(material=0), 0))
