"""The Scene: what a model means, whatever its format.

Right-handed, +Y up, front +Z, cameras look along −Z, counter-clockwise triangles face the viewer; column vectors
(``matrix @ point``); unit quaternions x y z w; texture coordinates from the top left; linear colours; seconds; the file's
own units. Elements refer to each other by their number in the Scene's lists.

Vertex streams of a model that was read are numpy arrays over the memory that the reader filled: nothing is copied, the
arrays keep the memory alive, and they are read-only, because several may share it. To change one, put another array in its
place; to change single numbers, put a copy there first. Pictures and what is written are copied, because Python's ``bytes``
have memory of their own.

A Scene can also be built from nothing:

>>> import menagerie
>>> from menagerie.scene import Mesh, Node, Primitive, Scene
>>> triangle = Primitive(positions=[[0, 0, 0], [1, 0, 0], [0, 1, 0]], indices=[0, 1, 2])
>>> scene = Scene.of_meshes(Mesh(name="triangle", primitives=[triangle]))
>>> written = scene.write("glb")
>>> written.lossless, menagerie.open(written.bytes).summary["geometry"]["triangles"]
(True, 1)
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, ClassVar, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Type, TypeVar, Union

import numpy as np
import numpy.typing as npt

from . import _native
from ._options import as_json
from ._reports import Converted, Issue, of_json

__all__ = [
    "Animation",
    "Camera",
    "Channel",
    "CustomAttribute",
    "Image",
    "Light",
    "Lod",
    "Material",
    "Mesh",
    "MetallicRoughness",
    "MorphTarget",
    "Node",
    "Orthographic",
    "Perspective",
    "Phong",
    "Pose",
    "Primitive",
    "Sampler",
    "Scene",
    "SceneRoot",
    "Skin",
    "SpecularGlossiness",
    "Texture",
    "TextureRef",
    "UvTransform",
]

Floats = npt.NDArray[np.float32]
Extras = Dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class _Stream:
    """A list of numbers: what it is made of and how wide its rows are; 0 for a flat list."""

    dtype: str = "f4"
    width: int = 0
    #: Whether rows are matrices, which the library keeps by columns.
    matrices: bool = False
    #: Whether the shape is the caller's own.
    free: bool = False

    def load(self, array: Any) -> npt.NDArray[Any]:
        loaded: npt.NDArray[Any] = np.asarray(array)
        return loaded.transpose(0, 2, 1) if self.matrices else loaded

    def dump(self, value: Any, path: str) -> bytes:
        array = np.asarray(value)
        if self.dtype[0] == "u" and array.size:
            limit = 2 ** (8 * int(self.dtype[1]))
            if array.dtype.kind not in "ui" or int(array.min()) < 0 or int(array.max()) >= limit:
                raise ValueError(f"{path} must hold whole numbers from 0 to {limit - 1}")
        try:
            array = np.ascontiguousarray(array, dtype=self.dtype)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}: {error}") from None
        if self.matrices:
            array = np.ascontiguousarray(array.reshape(-1, 4, 4).transpose(0, 2, 1))
        elif self.width == 0 and not self.free:
            array = array.reshape(-1)
        elif not self.free and (array.size % self.width or (array.ndim != 1 and array.shape[-1] != self.width)):
            raise ValueError(f"{path} must have {self.width} numbers in each row, not the shape {array.shape}")
        return array.tobytes()


def _numbers(dtype: str = "f4", width: int = 0, matrices: bool = False, free: bool = False) -> Any:
    return field(default=None, metadata={"stream": _Stream(dtype, width, matrices, free)})


def _sets(dtype: str, width: int) -> Any:
    return field(default_factory=list, metadata={"streams": _Stream(dtype, width)})


def _parts(kind: str) -> Any:
    return field(default_factory=list, metadata={"parts": kind})


def _part(kind: str) -> Any:
    return field(default=None, metadata={"part": kind})


class _Element:
    """What knows how to cross to the native part and back."""

    #: What stands for the class where several are possible.
    _kind: ClassVar[Optional[str]] = None

    def _dump(self, lists: List[bytes], path: str) -> Dict[str, Any]:
        dumped: Dict[str, Any] = {} if self._kind is None else {"kind": self._kind}
        for known in fields(self):  # type: ignore[arg-type]
            if known.metadata.get("local"):
                continue
            value = getattr(self, known.name)
            dumped[known.name] = _dump_value(value, known.metadata, lists, f"{path}{known.name}")
        return dumped

    @classmethod
    def _load(cls: Type[T], values: Dict[str, Any], lists: Sequence[Any]) -> T:
        loaded: Dict[str, Any] = {}
        for known in fields(cls):  # type: ignore[arg-type]
            if known.name in values:
                loaded[known.name] = _load_value(values[known.name], known.metadata, lists)
        return cls(**loaded)


def _keep(lists: List[bytes], content: bytes) -> int:
    lists.append(content)
    return len(lists) - 1


def _dump_value(value: Any, metadata: Any, lists: List[bytes], path: str) -> Any:
    if "stream" in metadata:
        return None if value is None else _keep(lists, metadata["stream"].dump(value, path))
    if "streams" in metadata:
        return [_keep(lists, metadata["streams"].dump(part, f"{path}[{i}]")) for i, part in enumerate(value)]
    if "bytes" in metadata:
        return None if value is None else _keep(lists, bytes(value))
    if "matrix" in metadata:
        return None if value is None else np.asarray(value, dtype="f4").reshape(4, 4).T.ravel().tolist()
    if isinstance(value, _Element):
        return value._dump(lists, f"{path}.")
    if isinstance(value, dict) and metadata.get("parts_by_name"):
        return {name: part._dump(lists, f"{path}[{name!r}].") for name, part in value.items()}
    if "parts" in metadata:
        return [part._dump(lists, f"{path}[{i}].") for i, part in enumerate(value)]
    return _plain(value)


def _plain(value: Any) -> Any:
    """Numbers of numpy as Python's own, and arrays as lists."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def _load_value(value: Any, metadata: Any, lists: Sequence[Any]) -> Any:
    if value is None:
        return None
    if "stream" in metadata:
        return metadata["stream"].load(lists[value])
    if "streams" in metadata:
        return [metadata["streams"].load(lists[part]) for part in value]
    if "bytes" in metadata:
        return lists[value]
    if "matrix" in metadata:
        return np.array(value, dtype="f4").reshape(4, 4).T
    if "parts_by_name" in metadata:
        kind = _class(metadata["parts_by_name"], {})
        return {name: kind._load(part, lists) for name, part in value.items()}
    if "parts" in metadata:
        return [_class(metadata["parts"], part)._load(part, lists) for part in value]
    if "part" in metadata:
        return _class(metadata["part"], value)._load(value, lists)
    return value


def _class(name: str, value: Dict[str, Any]) -> Any:
    """A class by its name, or by the kind that a value says it is."""
    found = globals()[name]
    return found if is_dataclass(found) else found[value["kind"]]


@dataclass
class CustomAttribute(_Element):
    """A vertex attribute that only an application knows."""

    #: Floats of one vertex: 1 to 4, or 9 or 16 for a matrix.
    width: int = 1
    values: Floats = _numbers(free=True)


@dataclass
class MorphTarget(_Element):
    """Displacements that are added with a weight."""

    positions: Optional[Floats] = _numbers(width=3)
    normals: Optional[Floats] = _numbers(width=3)
    tangents: Optional[Floats] = _numbers(width=3)
    uvs: List[Floats] = _sets("f4", 2)
    colors: List[Floats] = _sets("f4", 4)
    extras: Extras = field(default_factory=dict)


@dataclass
class Primitive(_Element):
    """Geometry with one material. All streams that are there have as many rows as ``positions``."""

    #: ``triangles``, ``lines``, ``line-strip``, ``line-loop`` or ``points``.
    topology: str = "triangles"
    #: Which vertices are drawn, in order.
    indices: Any = _numbers("u4")
    #: n × 3.
    positions: Any = _numbers(width=3)
    #: n × 3, of unit length; nothing when there are none.
    normals: Any = _numbers(width=3)
    #: n × 4: unit tangents and the sign of the bitangent.
    tangents: Any = _numbers(width=4)
    #: Sets of n × 2.
    uvs: List[Any] = _sets("f4", 2)
    #: Sets of n × 4, linear.
    colors: List[Any] = _sets("f4", 4)
    #: Sets of n × 4, places in the skin's list of joints.
    joints: List[Any] = _sets("u2", 4)
    #: Sets of n × 4, as many as of joints.
    weights: List[Any] = _sets("f4", 4)
    targets: List[MorphTarget] = _parts("MorphTarget")
    #: By names that begin with ``_``.
    custom: Dict[str, CustomAttribute] = field(
        default_factory=dict, metadata={"parts_by_name": "CustomAttribute"}
    )
    material: Optional[int] = None
    extras: Extras = field(default_factory=dict)

    @property
    def triangles(self) -> npt.NDArray[np.uint32]:
        """The indices, three in a row; none for lines and points."""
        indices = np.asarray(self.indices if self.topology == "triangles" else [], dtype="u4")
        return indices.reshape(-1, 3)


@dataclass
class Mesh(_Element):
    """Something that can be drawn."""

    name: str = ""
    primitives: List[Primitive] = _parts("Primitive")
    #: The weights of the morph targets when nobody says otherwise: none, or one for each.
    weights: List[float] = field(default_factory=list)
    target_names: List[str] = field(default_factory=list)
    extras: Extras = field(default_factory=dict)


@dataclass
class Lod(_Element):
    """What stands in for a node at a distance."""

    node: int
    distance: Optional[float] = None


@dataclass
class Node(_Element):
    """A place in the tree, and what is there."""

    name: str = ""
    children: List[int] = field(default_factory=list)
    translation: Sequence[float] = (0.0, 0.0, 0.0)
    #: A unit quaternion x y z w.
    rotation: Sequence[float] = (0.0, 0.0, 0.0, 1.0)
    scale: Sequence[float] = (1.0, 1.0, 1.0)
    #: Any affine 4 × 4 matrix, in place of the three above, which then are only the nearest to it.
    matrix: Any = field(default=None, metadata={"matrix": True})
    mesh: Optional[int] = None
    skin: Optional[int] = None
    camera: Optional[int] = None
    light: Optional[int] = None
    #: The weights of the mesh's morph targets here; none for the mesh's own.
    weights: List[float] = field(default_factory=list)
    visible: bool = True
    #: What stands in for it, from near to far.
    lods: List[Lod] = _parts("Lod")
    extras: Extras = field(default_factory=dict)


@dataclass
class SceneRoot(_Element):
    """One scene: the nodes without a parent that are shown together."""

    name: str = ""
    roots: List[int] = field(default_factory=list)
    extras: Extras = field(default_factory=dict)


@dataclass
class Skin(_Element):
    """What binds meshes to nodes."""

    name: str = ""
    joints: List[int] = field(default_factory=list)
    #: n × 4 × 4, from the mesh's space to each joint's; nothing when all are the identity.
    inverse_binds: Any = _numbers(width=16, matrices=True)
    skeleton: Optional[int] = None
    extras: Extras = field(default_factory=dict)


@dataclass
class Perspective(_Element):
    """Far things are smaller."""

    _kind: ClassVar[Optional[str]] = "perspective"
    #: The vertical field of view in radians.
    yfov: float
    near: float
    aspect: Optional[float] = None
    far: Optional[float] = None


@dataclass
class Orthographic(_Element):
    """Far things are as large as near ones."""

    _kind: ClassVar[Optional[str]] = "orthographic"
    #: Half the width.
    xmag: float
    #: Half the height.
    ymag: float
    near: float
    far: float


@dataclass
class Camera(_Element):
    """A point of view."""

    projection: Union[Perspective, Orthographic] = field(metadata={"part": "_PROJECTIONS"})
    name: str = ""
    extras: Extras = field(default_factory=dict)


@dataclass
class Light(_Element):
    """A source of light."""

    #: ``point``, ``spot`` or ``directional``.
    kind: str
    name: str = ""
    color: Sequence[float] = (1.0, 1.0, 1.0)
    intensity: float = 1.0
    range: Optional[float] = None
    #: Constant, linear and quadratic.
    attenuation: Optional[Sequence[float]] = None
    #: Of a spot: half the angle up to which it is at full strength, in radians.
    inner: float = 0.0
    #: Of a spot: half the angle from which on it is dark.
    outer: float = 0.0
    extras: Extras = field(default_factory=dict)


@dataclass
class UvTransform(_Element):
    """A change of texture coordinates: scale, then rotate counter-clockwise, then offset."""

    offset: Sequence[float] = (0.0, 0.0)
    rotation: float = 0.0
    scale: Sequence[float] = (1.0, 1.0)
    uv_set: Optional[int] = None


@dataclass
class TextureRef(_Element):
    """A use of a texture by a material."""

    texture: int
    uv_set: int = 0
    transform: Optional[UvTransform] = _part("UvTransform")
    extras: Extras = field(default_factory=dict)


@dataclass
class MetallicRoughness(_Element):
    """How a surface answers to light, as glTF has it."""

    _kind: ClassVar[Optional[str]] = "metallic-roughness"
    base_color: Sequence[float] = (1.0, 1.0, 1.0, 1.0)
    base_color_texture: Optional[TextureRef] = _part("TextureRef")
    metallic: float = 1.0
    roughness: float = 1.0
    metallic_roughness_texture: Optional[TextureRef] = _part("TextureRef")


@dataclass
class Phong(_Element):
    """How a surface answers to light, as old engines have it."""

    _kind: ClassVar[Optional[str]] = "phong"
    ambient: Sequence[float] = (0.0, 0.0, 0.0)
    diffuse: Sequence[float] = (1.0, 1.0, 1.0, 1.0)
    specular: Sequence[float] = (0.0, 0.0, 0.0)
    shininess: float = 32.0
    ambient_texture: Optional[TextureRef] = _part("TextureRef")
    diffuse_texture: Optional[TextureRef] = _part("TextureRef")
    specular_texture: Optional[TextureRef] = _part("TextureRef")
    shininess_texture: Optional[TextureRef] = _part("TextureRef")
    bump_texture: Optional[TextureRef] = _part("TextureRef")
    bump_scale: float = 1.0
    opacity_texture: Optional[TextureRef] = _part("TextureRef")


@dataclass
class SpecularGlossiness(_Element):
    """How a surface answers to light, as KHR_materials_pbrSpecularGlossiness has it."""

    _kind: ClassVar[Optional[str]] = "specular-glossiness"
    diffuse: Sequence[float] = (1.0, 1.0, 1.0, 1.0)
    diffuse_texture: Optional[TextureRef] = _part("TextureRef")
    specular: Sequence[float] = (1.0, 1.0, 1.0)
    glossiness: float = 1.0
    specular_glossiness_texture: Optional[TextureRef] = _part("TextureRef")


_PROJECTIONS = {"perspective": Perspective, "orthographic": Orthographic}
_SHADINGS = {
    "metallic-roughness": MetallicRoughness,
    "phong": Phong,
    "specular-glossiness": SpecularGlossiness,
}


@dataclass
class Material(_Element):
    """What a surface looks like."""

    name: str = ""
    shading: Union[MetallicRoughness, Phong, SpecularGlossiness] = field(
        default_factory=MetallicRoughness, metadata={"part": "_SHADINGS"}
    )
    emissive: Sequence[float] = (0.0, 0.0, 0.0)
    emissive_texture: Optional[TextureRef] = _part("TextureRef")
    normal_texture: Optional[TextureRef] = _part("TextureRef")
    normal_scale: float = 1.0
    occlusion_texture: Optional[TextureRef] = _part("TextureRef")
    occlusion_strength: float = 1.0
    #: ``opaque``, ``mask``, ``blend``, ``additive`` or ``multiply``.
    alpha: str = "opaque"
    alpha_cutoff: float = 0.5
    double_sided: bool = False
    unlit: bool = False
    extras: Extras = field(default_factory=dict)


@dataclass
class Sampler(_Element):
    """How a picture is sampled."""

    name: str = ""
    #: ``nearest``, ``linear``, or with ``-mipmap-nearest`` or ``-mipmap-linear`` behind it.
    magnify: Optional[str] = None
    minify: Optional[str] = None
    #: ``repeat``, ``mirror`` or ``clamp``.
    wrap_u: str = "repeat"
    wrap_v: str = "repeat"
    extras: Extras = field(default_factory=dict)


@dataclass
class Texture(_Element):
    """A picture and how it is sampled."""

    image: Optional[int] = None
    name: str = ""
    sampler: Optional[Sampler] = _part("Sampler")
    extras: Extras = field(default_factory=dict)


@dataclass
class Image(_Element):
    """A picture: where it is, or its bytes, or both."""

    name: str = ""
    uri: Optional[str] = None
    #: The bytes of a PNG, JPEG or other file.
    data: Optional[bytes] = field(default=None, metadata={"bytes": True}, repr=False)
    mime: Optional[str] = None
    extras: Extras = field(default_factory=dict)

    def pixels(self) -> npt.NDArray[np.uint8]:
        """Rows, columns, red green blue alpha, where the bytes are there."""
        if self.data is None:
            raise ValueError("the picture's bytes are not there")
        return np.asarray(_native.pixels(self.data))


@dataclass
class Channel(_Element):
    """How one property of one node changes over time."""

    node: int
    #: ``translation``, ``rotation``, ``scale`` or ``weights``.
    property: str
    #: The keys in seconds, rising.
    times: Any = _numbers()
    #: keys × width; with cubic interpolation keys × 3 × width: in-tangent, value, out-tangent.
    values: Any = _numbers(free=True)
    #: ``step``, ``linear`` or ``cubic``.
    interpolation: str = "linear"
    extras: Extras = field(default_factory=dict)


@dataclass
class Animation(_Element):
    """A movement of several nodes."""

    name: str = ""
    channels: List[Channel] = _parts("Channel")
    extras: Extras = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """The time of the last key of all channels."""
        return max((float(channel.times[-1]) for channel in self.channels if len(channel.times)), default=0.0)


@dataclass(frozen=True)
class Pose:
    """Where everything is at one moment."""

    #: n × 4 × 4, for each node from its space to the world.
    worlds: Floats
    #: For each node the weights of its mesh's morph targets.
    weights: List[List[float]]
    #: For each node with a mesh, the positions of its primitives' vertices in the world, morphed and skinned.
    positions: Dict[int, List[Floats]]
    #: The same for normals; rows are missing where a primitive has none.
    normals: Dict[int, List[Floats]]

    def bounds(self) -> Optional[Tuple[Floats, Floats]]:
        """The box around all that has positions."""
        points = [array for arrays in self.positions.values() for array in arrays if len(array)]
        if not points:
            return None
        lows, highs = [array.min(axis=0) for array in points], [array.max(axis=0) for array in points]
        return np.min(lows, axis=0), np.max(highs, axis=0)


@dataclass
class Scene(_Element):
    """A model with everything that belongs to it."""

    scenes: List[SceneRoot] = _parts("SceneRoot")
    #: Which of ``scenes`` to show when nobody asks for another.
    default_scene: Optional[int] = None
    nodes: List[Node] = _parts("Node")
    meshes: List[Mesh] = _parts("Mesh")
    materials: List[Material] = _parts("Material")
    textures: List[Texture] = _parts("Texture")
    images: List[Image] = _parts("Image")
    cameras: List[Camera] = _parts("Camera")
    lights: List[Light] = _parts("Light")
    skins: List[Skin] = _parts("Skin")
    animations: List[Animation] = _parts("Animation")
    #: Light that comes from everywhere, linear RGBA.
    ambient: Optional[Sequence[float]] = None
    extras: Extras = field(default_factory=dict)
    #: What was forgiven or decided in making it of a file.
    issues: Tuple[Issue, ...] = field(default=(), metadata={"local": True}, repr=False)

    @classmethod
    def of_meshes(cls, *meshes: Mesh, materials: Sequence[Material] = ()) -> "Scene":
        """A Scene that shows each mesh once, where it is."""
        nodes = [Node(name=mesh.name, mesh=i) for i, mesh in enumerate(meshes)]
        roots = SceneRoot(roots=list(range(len(nodes))))
        return cls(scenes=[roots], nodes=nodes, meshes=list(meshes), materials=list(materials))

    def _cross(self) -> Tuple[str, List[bytes]]:
        for i, mesh in enumerate(self.meshes):
            for j, primitive in enumerate(mesh.primitives):
                if primitive.positions is None:
                    raise ValueError(f"meshes[{i}].primitives[{j}] has no positions")
        lists: List[bytes] = []
        return json.dumps(self._dump(lists, "")), lists

    def check(self) -> None:
        """Raises a :class:`menagerie.ParameterError` that says where, if the Scene breaks a rule that every writer relies on."""
        _native.check_scene(*self._cross())

    def write(self, to: str, **options: Any) -> Converted:
        """The Scene in a format, with what that cost. Options are those of ``menagerie convert`` that are about writing."""
        content, files, details = _native.write_scene(*self._cross(), to, as_json(options))
        return Converted(bytes=content, files=dict(files), **of_json(json.loads(details)))

    def save(self, path: Union[str, "os.PathLike[str]"], **options: Any) -> Converted:
        """Writes the Scene to a file in the format of its extension, with what belongs beside it."""
        target = Path(path)
        written = self.write(target.suffix.lstrip("."), **{"stem": target.stem, **options})
        written.save(target)
        return written

    def _animation(self, animation: Union[str, int]) -> int:
        if isinstance(animation, int):
            if not 0 <= animation < len(self.animations):
                raise IndexError(f"there is no animation {animation}; there are {len(self.animations)}")
            return animation
        for i, known in enumerate(self.animations):
            if known.name == animation:
                return i
        names = ", ".join(repr(known.name) for known in self.animations)
        raise KeyError(f"there is no animation {animation!r}; there are {names or 'none'}")

    def pose(self, animation: Union[str, int, None] = None, seconds: float = 0.0) -> Pose:
        """The pose at a time of an animation, by its name or number; without one the pose that the model rests in."""
        return next(iter(self.poses(animation, [seconds])))

    def poses(self, animation: Union[str, int, None], times: Iterable[float]) -> Iterator[Pose]:
        """The poses at several times; faster than one after the other, because the Scene crosses to the library once."""
        index = None if animation is None else self._animation(animation)
        for worlds, weights, nodes in _native.pose_scene(*self._cross(), index, [float(t) for t in times]):
            yield Pose(
                worlds=np.asarray(worlds).transpose(0, 2, 1),
                weights=weights,
                positions={node: [np.asarray(a) for a in positions] for node, positions, _ in nodes},
                normals={node: [np.asarray(a) for a in normals] for node, _, normals in nodes},
            )
