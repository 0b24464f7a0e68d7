"""Small BOGLE files, each with one thing wrong. Written from docs/formats/bogle.md alone."""

import struct

UNIT = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
TURN = (0, 0, 0, 1)


def text(name):
    return struct.pack("<I", len(name)) + name


def at(x, y, z):
    return UNIT[:12] + [x, y, z, 1]


def camera(name=b"Camera", kind=0, main=1):
    return struct.pack("<B", kind) + text(name) + struct.pack("<II3fB", 640, 480, 0.1, 100, 0.8, main)


def vertex(x, y, z, bones=b"", weights=(0, 0, 0), normal=(0, 0, 1)):
    bones = bones or struct.pack("<3f", 0, 0, 0)
    return struct.pack("<14f", x, y, z, x, y, *normal, 1, 0, 0, 0, 1, 0) + bones + struct.pack("<3f", *weights)


CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]


def corners(bones=b"", weights=(0, 0, 0), **changes):
    return [vertex(*c, bones, weights, **changes) for c in CORNERS]


def geometry(name=b"Triangle", vertices=None, indices=(0, 1, 2), kind=0):
    vertices = corners() if vertices is None else vertices
    return struct.pack("<B", kind) + text(name) + struct.pack("<II", len(vertices), len(indices)) + b"".join(vertices) + struct.pack(f"<{len(indices)}I", *indices)


def material(name=b"Paint", kind=0, shader=0, textures=(b"",) * 8):
    colours = [0.2, 0.2, 0.2, 1, 0, 0, 0, 1, 0.8, 0.8, 0.8, 1, 0.5, 0.5, 0.5, 1]
    return struct.pack("<BB", kind, shader) + text(name) + struct.pack("<24fB", *colours, 1, 50, 0, 0, 1, 1, 1, 0.1, 0) + b"".join(map(text, textures))


def light(name=b"Lamp", kind=2):
    return struct.pack("<B", kind) + text(name) + struct.pack("<9f", 1, 1, 1, 1, 0, 1, 1, 100, 0)


def bone(parent=0, place=(0, 0, 0), turn=TURN):
    return struct.pack("<7fI", *place, *turn, parent)


def animation(bones, keys, name=b"Wave"):
    """Keys are a time and one rotation, which all bones have."""
    packed = [struct.pack("<4f", time, 0, 0, 0) + struct.pack("<4f", *turn) * bones for time, turn in keys]
    return text(name) + struct.pack("<I", len(packed)) + b"".join(packed)


def collection(bones=None, animations=(), matrix=UNIT, kind=0):
    bones = [bone()] if bones is None else bones
    return struct.pack("<B", kind) + text(b"Rig") + struct.pack("<I16fI", len(animations), *matrix, len(bones)) + b"".join(bones) + b"".join(animations)


def instance(name, camera=0, geometry=0, material=0, light=0, collection=0, matrix=UNIT):
    return text(name) + struct.pack("<5I16f", camera, geometry, material, light, collection, *matrix)


OBJECTS = [instance(b"Eye", camera=1, matrix=at(0, 0, 5)), instance(b"Object", geometry=1, material=1), instance(b"Sun", light=1, matrix=at(0, 2, 5))]


def file(cameras=None, geometries=None, materials=None, lights=None, collections=(), instances=None, tree=None, magic=b"BOGLE", version=0, end=b"\0"):
    lists = [
        [camera()] if cameras is None else cameras,
        [geometry()] if geometries is None else geometries,
        [material()] if materials is None else materials,
        [light()] if lights is None else lights,
        collections,
        OBJECTS if instances is None else instances,
    ]
    tree = b"".join(b"%d{}" % i for i in range(len(lists[5]))) if tree is None else tree
    head = magic + struct.pack("<B6I4f", version, *map(len, lists), 0.1, 0.1, 0.1, 1)
    return head + b"".join(b"".join(records) for records in lists) + tree + end


def skinned(bones=None, keys=((0, TURN), (1, TURN)), skin=None, **changes):
    """A triangle that hangs on the last bone of a rig."""
    bones = [bone()] if bones is None else bones
    skin = corners(struct.pack("<3f", 0, 0, 0), (1, 0, 0)) if skin is None else skin
    animations = [animation(len(bones), keys)] if keys else []
    objects = [OBJECTS[0], instance(b"Object", geometry=1, material=1, collection=1), OBJECTS[2]]
    return file(geometries=[geometry(vertices=skin)], collections=[collection(bones, animations, **changes)], instances=objects)


SEVENTY = (0, 0, 0.5735764, 0.8191520)


def files():
    yield "magic", file(magic=b"BOGUS")
    yield "version", file(version=1)
    yield "unknown-type", file(lights=[light(kind=3)])
    yield "shader", file(materials=[material(shader=2)])
    yield "camera-type", file(cameras=[camera(kind=1)])
    yield "main-camera", file(cameras=[camera(), camera(b"Other")])
    yield "trailing-bytes", file() + b"more"
    yield "name-nul", file(materials=[material(b"Pa\0int")])
    yield "name-not-utf8", file(materials=[material(b"Gr\xfcn")])
    yield "name-not-ascii", file(materials=[material("Grün".encode())])
    yield "index-count", file(geometries=[geometry(indices=(0, 1, 2, 0))])
    yield "index-range", file(geometries=[geometry(indices=(0, 1, 3))])
    yield "bone-index", skinned(skin=corners(struct.pack("<3f", 1.5, 0, 0), (1, 0, 0)), bones=[bone(), bone(1)])
    mixed = corners(struct.pack("<3f", 1, 0, 0), (1, 0, 0))[:2] + corners(struct.pack("<3I", 1, 0, 0), (1, 0, 0))[2:]
    yield "bone-encoding", skinned(skin=mixed, bones=[bone(), bone(1)])
    yield "bone-range", skinned(skin=corners(struct.pack("<3f", 4, 0, 0), (1, 0, 0)))
    yield "negative-weight", skinned(skin=corners(b"", (1.5, -0.5, 0)))
    yield "bone-parent", skinned([bone(9)])
    yield "bone-cycle", skinned([bone(), bone(3), bone(2)])
    yield "bone-limit", skinned([bone()] + [bone(1)] * 256, keys=())
    yield "key-order", skinned(keys=((0, TURN), (2, TURN), (1, TURN)))
    yield "key-equal", skinned(keys=((0, TURN), (1, TURN), (1, TURN)))
    yield "rotation", skinned([bone(turn=(0, 0, 0, 0))])
    yield "rotation-length", skinned(keys=((0, TURN), (1, (0, 0, 0, 0.9))))
    yield "skeleton-transform", skinned(matrix=[0] * 15 + [1])
    yield "matrix", file(instances=[*OBJECTS[:2], instance(b"Sun", light=1, matrix=UNIT[:3] + [0.5] + UNIT[4:])])
    yield "normal-and-bump", file(materials=[material(textures=(b"",) * 5 + (b"n", b"b", b""))])
    yield "light-limit", file(instances=OBJECTS + [instance(b"L%d" % i, light=1, matrix=at(0, 2, 5)) for i in range(20)])
    yield "component", file(instances=[*OBJECTS, instance(b"Lost", light=7)])
    yield "no-material", file(instances=[*OBJECTS, instance(b"Bare", geometry=1)])
    yield "normal-length", file(geometries=[geometry(vertices=corners(normal=(0, 0, 2)))])
    yield "tree-character", file(tree=b"0{}1{}2{}x")
    yield "tree-number", file(tree=b"0{}1{}2{}7{}")
    yield "tree-closing", file(tree=b"0{}1{}2{}}")
    deep = 257
    yield "tree-depth", file(instances=OBJECTS + [instance(b"")] * (deep - 3), tree=b"".join(b"%d{" % i for i in range(deep)) + b"}" * deep)
    yield "tree-not-terminated", file(end=b"")
    yield "tree-unclosed", file(tree=b"0{}1{}2{")
    yield "tree-brace", file(tree=b"{}0{}1{}2{}")
    yield "tree-reopened", file(tree=b"0{1{}}{2{}}")
    yield "tree-repeated", file(tree=b"0{}1{}2{}1{}")
    yield "tree-missing", file(tree=b"0{}1{}2{}", instances=[*OBJECTS, instance(b"Lost")])
    yield "tree-cycle", file(tree=b"0{}1{1{}}2{}")
    yield "engine-bone-order", skinned([bone(2), bone(3), bone()])
    yield "engine-pose", skinned([bone(), bone(1, (0, 3, 0))], skin=corners(struct.pack("<3f", 1, 0, 0), (1, 0, 0)), keys=((0, TURN), (1, SEVENTY)))
    yield "engine-key-time", skinned(keys=((2, TURN), (3, TURN)))
    yield "engine-bone-index", skinned([bone(), bone(1)], skin=corners(struct.pack("<3I", 1, 0, 0), (1, 0, 0)))
    yield "engine-mirrored", file(instances=[OBJECTS[0], instance(b"Object", geometry=1, material=1, matrix=[-1] + UNIT[1:]), OBJECTS[2]])
    yield "engine-camera", file(cameras=[], instances=OBJECTS[1:])
    black = bytearray(file(lights=[], instances=OBJECTS[:2]))
    struct.pack_into("<4f", black, 30, 0, 0, 0, 1)
    yield "engine-dark", bytes(black)
    whole = file()
    yield "shown-geometry", whole[: whole.index(b"Lamp") + 10]
    yield "unused", file(materials=[material(), material(b"Spare")])
