"""Small das2 files, each with one thing wrong. Written from docs/formats/das2.md alone."""

import struct
import zlib

NONE = 0xFFFFFFFF
UNIT = (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)
TURN = (0, 0, 0, 1)
CORNERS = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)


def hash64(data):
    """CRC-64 as the library has it: beginning with zero, inverted at the end."""
    register = 0
    for byte in data.split(b"\0")[0]:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0xC96C5795D7870F42 if register & 1 else 0)
    return register ^ 0xFFFFFFFFFFFFFFFF


class Layout:
    """One of the two layouts, spec or libdas2."""

    def __init__(self, library=False, shift=0):
        self.library, self.shift = library, shift

    def text(self, data, wrong=False):
        known = struct.pack("<Q", hash64(data) ^ wrong) if self.library else b""
        return struct.pack("<H", len(data)) + known + data

    def id(self, number):
        return bytes([number - (self.shift if number > 3 else 0)])

    def places(self, *places):
        """Of one place id and offset, of eight all ids and then all offsets; the library stores offsets only."""
        ids = [NONE if p is None else p[0] for p in places]
        offsets = [0 if p is None else p[1] for p in places]
        return struct.pack(f"<{len(places)}I", *offsets) if self.library else struct.pack(f"<{2 * len(places)}I", *ids, *offsets)

    def buffer(self, data):
        return self.id(1) + struct.pack("<I", len(data)) + data

    def mesh(self, positions=(0, 0), indices=None, draw=3, colours=None, joints=None, weights=None, paint=(0, NONE), morphs=(), lods=()):
        eight = [None] * 8
        return b"".join([
            self.id(2), self.places(indices), struct.pack("<I", draw), self.places(positions), self.places(None),
            self.places(*eight), self.places(colours), self.places(joints, *eight[1:]), self.places(weights, *eight[1:]),
            struct.pack("<BI", *paint), struct.pack("<I", len(morphs)), *morphs, struct.pack("<I", len(lods)), *lods,
        ])

    def morph(self, positions=(0, 0)):
        return b"\3" + b"".join([self.places(None), self.places(positions), self.places(None), self.places(*[None] * 8), self.places(None)])

    def named(self, number, name, ids, before=b"", after=b""):
        return self.id(number) + self.text(name) + before + struct.pack(f"<I{len(ids)}I", len(ids), *ids) + after

    def group(self, *meshes):
        return self.named(4, b"group", meshes)

    def node(self, name=b"node", children=(), group=NONE, skeleton=NONE, matrix=UNIT, turn=TURN):
        return self.named(5, name, children, after=struct.pack("<II24f", group, skeleton, *matrix, *turn, 0, 0, 0, 1))

    def scene(self, *roots):
        return self.named(6, b"scene", roots)

    def joint(self, children=(), name=b"joint"):
        return self.named(7, name, children, after=struct.pack("<24f", *UNIT, *TURN, 0, 0, 0, 1))

    def skeleton(self, *joints):
        return self.named(8, b"rig", joints, before=struct.pack("<I", joints[0]))

    def animation(self, *channels):
        return self.id(9) + (self.text(b"clip") if self.library else b"") + struct.pack(f"<I{len(channels)}I", len(channels), *channels)

    def channel(self, node=0, joint=NONE, target=2, way=1, times=(0, 1), width=3, weights=0):
        counts = (weights, len(times)) if self.library else (len(times), weights)
        values = [0.0] * len(times) * width
        return self.id(10) + struct.pack("<IIBBII", node, joint, target, way, *counts) + struct.pack(f"<{len(times) + len(values)}f", *times, *values)

    def pbr(self, albedo=b"", emission=b"", roughness=b"", metallic=b"", occlusion=b""):
        maps = [albedo, emission, roughness, metallic, occlusion]
        return self.id(12) + self.text(b"paint") + struct.pack("<11f", *[0.8] * 3, 1, *[0] * 3, 1, 1, 0, 1) + b"".join(map(self.text, maps))

    def phong(self, name=b"paint"):
        return self.id(11) + self.text(name) + struct.pack("<12f", *[0.8, 0.8, 0.8, 1] * 3) + self.text(b"") * 3

    def file(self, *records, vertices=3, meshes=1, clips=0, scene=0, level=0, author=b"menagerie", comment=b"", packed=None, magic=b"das2\0\0\0\0", wrong=False):
        head = magic + self.text(author, wrong) + self.text(comment) + struct.pack("<4IB", vertices, meshes, clips, scene, level)
        body = b"".join(records)
        return head + (body if packed is None else packed(body))


SPEC, LIBRARY, TABLES = Layout(), Layout(library=True), Layout(shift=1)


def model(*more, mesh=None, node=None, scene=None, first=CORNERS, to=SPEC, group=None, **head):
    """A triangle in a scene; what it is told otherwise is otherwise."""
    return to.file(
        to.buffer(first), to.mesh() if mesh is None else mesh, to.group(0) if group is None else group,
        to.node(group=0) if node is None else node, to.scene(0) if scene is None else scene, *more, **head,
    )


def skinned(joints, weights, mesh=None):
    first = CORNERS + struct.pack("<4H", *joints) * 3 + struct.pack("<4f", *weights) * 3
    mesh = SPEC.mesh(joints=(0, 36), weights=(0, 60)) if mesh is None else mesh
    return model(SPEC.joint(), SPEC.skeleton(0), mesh=mesh, node=SPEC.node(group=0, skeleton=0), first=first)


def moved(*channels, listed=None, **changes):
    listed = range(len(channels)) if listed is None else listed
    return model(SPEC.animation(*listed), *channels, clips=1, **changes)


def files():
    s, l = SPEC, LIBRARY
    yield "magic", model(magic=b"das3\0\0\0\0")
    yield "level", model(level=12)
    yield "zlib", model(level=6, packed=lambda body: zlib.compress(body)[:-6])
    yield "zstd", model(to=l, level=1, packed=lambda body: b"\x28\xb5\x2f\xfd\x20" + b"\xff" * 40)
    yield "trailing-bytes", model(level=6, packed=lambda body: zlib.compress(body, 6) + b"more")
    yield "level-raw", model(to=l, level=5)
    yield "table-numbering", model(to=TABLES)
    yield "identifier", model(b"\x7f")
    yield "nested-identifier", model(mesh=s.mesh(lods=[b"\5" + s.mesh()[1:]]))
    yield "channel-kind", moved(s.channel(target=9))
    yield "string-hash", model(to=l, wrong=True, comment=b"sound")
    yield "not-utf8", model(author=b"J\xf6rg")
    yield "header-count", model(meshes=4)
    yield "header-vertices", model(vertices=99)
    yield "no-scene", s.file(s.buffer(CORNERS), s.mesh(), s.group(0), s.node(group=0))
    yield "default-scene", s.file(s.buffer(CORNERS), s.mesh(), s.group(0), s.node(group=0), s.scene(0), scene=3)
    yield "reference", model(group=s.group(0, 8))
    yield "buffers", model(l.buffer(b"more"), to=l)
    yield "attribute-range", model(mesh=s.mesh(draw=30))
    # 64 MB are always allowed, so it takes many uses of much data; zlib makes that small.
    often = [s.buffer(bytes(120_000)), *[s.mesh(draw=9_999)] * 600, s.group(*range(600)), s.node(group=0), s.scene(0)]
    yield "overused", s.file(*often, meshes=600, vertices=5_999_400, level=9, packed=lambda body: zlib.compress(body, 9))
    yield "no-positions", model(mesh=s.mesh(positions=None))
    yield "draw-count", model(mesh=s.mesh(draw=4), first=CORNERS + bytes(12), vertices=4)
    yield "material-type", model(mesh=s.mesh(paint=(7, 0)))
    nested = s.mesh()
    for _ in range(17):
        nested = s.mesh(lods=[nested])
    yield "lod-depth", model(mesh=nested)
    yield "forest", model(s.node(b"other", children=[0]), s.node(b"more", children=[0]), scene=s.scene(1, 2))
    yield "root", model(scene=s.scene(0, 0))
    yield "rotation", model(node=s.node(group=0, turn=(0, 0, 0, 0)))
    yield "perspective", model(node=s.node(group=0, matrix=UNIT[:12] + (0, 0, 0.5, 1)))
    yield "channel-owner", moved(s.channel(node=NONE))
    yield "channel-unknown", moved(s.channel(target=0, width=0))
    yield "key-order", moved(s.channel(times=(1, 0)))
    yield "weight-count", moved(s.channel(target=1, width=2, weights=2), mesh=s.mesh(morphs=[s.morph()]))
    yield "weights-owner", moved(s.channel(target=1, width=1, weights=1))
    yield "joint-index", skinned((4, 0, 0, 0), (1, 0, 0, 0))
    yield "joint-set", skinned((0, 0, 0, 0), (1, 0, 0, 0), mesh=s.mesh(joints=(0, 36)))
    yield "weight-sum", skinned((0, 0, 0, 0), (0.5, 0, 0, 0))
    yield "unused-channel", moved(s.channel(), s.channel(target=4, width=1), listed=[0])
    yield "separate-maps", model(s.pbr(roughness=b"rough.png", metallic=b"metal.png"), mesh=s.mesh(paint=(2, 0)))
    yield "shown-mesh", s.file(s.buffer(CORNERS), s.mesh(), s.group(0)[:5])
    yield "engine-profile", model()
    yield "engine-level", model(to=l, level=5)
    yield "engine-buffers", model(l.buffer(b"more"), to=l)
    indexed = struct.pack("<3I", 0, 1, 2)
    yield "engine-indexed", model(to=l, mesh=l.mesh(indices=(0, 36)), first=CORNERS + indexed)
    yield "engine-channels-last", model(l.animation(0), l.channel(), l.phong(), to=l, clips=1)
    yield "engine-channels", model(l.animation(0), l.channel(), to=l, clips=1)
