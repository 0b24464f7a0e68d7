"""File → Import: models of the five formats."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Dict, List, Set

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, StringProperty
from bpy_extras.io_utils import ImportHelper
from mathutils import Matrix

import menagerie

from . import bridge, names, reports

EXTENSIONS = {"bogle": ".bgl", "bmd": ".bmd", "dgl2": ".dgl2", "bo3d": ".bo3d", "das2": ".das2"}
#: The property of a collection that holds a model: what only its format knows about the whole of it.
MODEL = "menagerie_model"


class IMPORT_SCENE_OT_menagerie(bpy.types.Operator, ImportHelper):
    """Import models of BOGLE, BMD, DGL2, BO3D and das2"""

    bl_idname = "import_scene.menagerie"
    bl_label = "Import"
    bl_options = {"UNDO", "PRESET"}

    filename_ext = ""
    filter_glob: StringProperty(default=";".join(f"*{e}" for e in EXTENSIONS.values()), options={"HIDDEN"})
    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    fps: FloatProperty(
        name="Frames a Second", description="For formats that store frames without a rate; 0 for their own", min=0, default=0
    )
    texture_dir: StringProperty(name="Textures", description="A folder to look for pictures in too", subtype="DIR_PATH")
    lods: BoolProperty(name="Levels of Detail", description="As collections that are hidden", default=True)
    animations: BoolProperty(name="Animations", description="As actions, one for each", default=True)
    hidden: BoolProperty(name="Hidden Parts", description="Solids and other hidden parts, as hidden objects", default=True)
    unit: EnumProperty(
        name="Unit",
        items=[
            ("file", "As in the File", "One unit is one metre"),
            ("engine", "The Engine's", "As large as the engine of the format takes it for"),
            ("cm", "Centimetres", ""),
            ("in", "Inches", ""),
            ("ft", "Feet", ""),
        ],
        default="file",
    )
    facing: EnumProperty(
        name="Facing",
        items=[("front", "Front View", "The model looks at whoever sees it from the front (−Y)"), ("back", "Away", "+Y")],
        default="front",
    )

    def execute(self, context: bpy.types.Context) -> Set[str]:
        chosen = [file.name for file in self.files if file.name]
        paths = [os.path.join(self.directory, name) for name in chosen] or [self.filepath]
        failed = 0
        for path in paths:
            try:
                self._one(context, path)
            except (menagerie.MenagerieError, OSError) as error:
                failed += 1
                reports.failed(context, path, error)
                self.report({"ERROR"}, reports.sentence(path, error))
        return {"CANCELLED"} if failed == len(paths) else {"FINISHED"}

    def _one(self, context: bpy.types.Context, path: str) -> None:
        options: Dict[str, Any] = {}
        if self.fps > 0:
            options["fps"] = self.fps
        if self.texture_dir:
            options["texture_dir"] = [bpy.path.abspath(self.texture_dir)]
        model = menagerie.open(path, **options)
        imported = bring_in(
            context,
            model,
            os.path.splitext(os.path.basename(path))[0],
            unit=None if self.unit == "file" else self.unit,
            lods=self.lods,
            hidden=self.hidden,
            animations=self.animations,
            turned=self.facing == "back",
        )
        reports.imported(context, path, model)
        worst = [issue for issue in model.issues if issue.severity == "error"]
        if worst:
            self.report({"WARNING"}, f"{os.path.basename(path)} is damaged: {worst[0]}")
        self.report({"INFO"}, f"{os.path.basename(path)}: {len(imported)} objects")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Set[str]:
        # Files that were dropped are here already.
        if self.directory and any(file.name for file in self.files):
            return self.execute(context)
        return ImportHelper.invoke(self, context, event)


class IO_FH_menagerie(bpy.types.FileHandler):
    """Models that are dropped into the window"""

    bl_idname = "IO_FH_menagerie"
    bl_label = "Menagerie"
    bl_import_operator = "import_scene.menagerie"
    bl_export_operator = "export_scene.menagerie"
    bl_file_extensions = ";".join(EXTENSIONS.values())

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        return context.area is not None and context.area.type in {"VIEW_3D", "OUTLINER"}


def bring_in(
    context: bpy.types.Context,
    model: menagerie.Model,
    name: str,
    *,
    unit: Any = None,
    lods: bool = True,
    hidden: bool = True,
    animations: bool = True,
    turned: bool = False,
) -> List[bpy.types.Object]:
    """Makes objects of a model in a collection of its own."""
    source = model if unit is None else menagerie.open(model.convert("glb", unit=unit).bytes)
    prepared = bridge.prepare(source.scene(), model.format)
    if not animations:
        prepared.scene.animations = []
    before = set(bpy.data.objects)
    collections = set(bpy.data.collections)
    home = bpy.data.collections.new(name)
    context.scene.collection.children.link(home)
    _run_importer(prepared.scene.write("glb").bytes)
    made = [thing for thing in bpy.data.objects if thing not in before]
    _gather(context, home, made, set(bpy.data.collections) - collections - {home})
    home[MODEL] = json.dumps({**prepared.notes, "file": str(model.path or "")})
    for thing in made:
        if names.NUMBER not in thing and thing.type in ("ARMATURE", "EMPTY", "LIGHT", "CAMERA"):
            thing[names.MADE] = True
    by_number = {thing[names.NUMBER]: thing for thing in made if names.NUMBER in thing}
    _put_right(context, home, prepared, by_number, lods, hidden)
    _put_back(by_number, prepared.points)
    _pose_ends(context, made, prepared.moves)
    _forget_numbers(made)
    if turned:
        _turn_round(home, name, made)
    return [thing for thing in made if _is_alive(thing)]


def _is_alive(thing: bpy.types.Object) -> bool:
    try:
        return bool(thing.name)
    except ReferenceError:
        return False


def _run_importer(glb: bytes) -> None:
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    handle, path = tempfile.mkstemp(suffix=".glb")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(glb)
        bpy.ops.import_scene.gltf(
            filepath=path, bone_heuristic="TEMPERANCE", disable_bone_shape=True
        )
    finally:
        os.unlink(path)


def _gather(
    context: bpy.types.Context, home: bpy.types.Collection, made: List[bpy.types.Object], extra: Set[bpy.types.Collection]
) -> None:
    """All objects in the model's collection; those of its scenes, if it has several, stay together below it."""
    del context
    for collection in extra:
        inside = [thing for thing in collection.objects if thing in made]
        if inside and len(extra) > 1:
            for parent in [*bpy.data.collections, *(scene.collection for scene in bpy.data.scenes)]:
                if collection.name in parent.children and parent is not home:
                    parent.children.unlink(collection)
            if collection.name not in home.children:
                home.children.link(collection)
    for thing in made:
        users = [collection for collection in thing.users_collection if collection not in home.children_recursive]
        if not any(collection in home.children_recursive for collection in thing.users_collection):
            home.objects.link(thing)
        for collection in users:
            if collection is not home:
                collection.objects.unlink(thing)
    for collection in extra:
        if _is_alive(collection) and not collection.objects and not collection.children:
            bpy.data.collections.remove(collection)


def _put_right(
    context: bpy.types.Context,
    home: bpy.types.Collection,
    prepared: bridge.Prepared,
    by_number: Dict[int, bpy.types.Object],
    lods: bool,
    hidden: bool,
) -> None:
    """What the importer does not know: levels of detail, and what is hidden."""
    stand_ins = {number: thing for number, thing in by_number.items() if number in prepared.lods}
    for number, thing in stand_ins.items():
        owner, level, distance = prepared.lods[number]
        if not lods:
            _remove(thing)
            continue
        of = by_number.get(owner)
        thing[names.LOD] = json.dumps({"of": of.name if of else "", "level": level, "distance": distance})
        _move(thing, _level(home, level))
    for number in prepared.hidden:
        thing = by_number.get(number)
        if thing is None or not _is_alive(thing):
            continue
        for part in [thing, *thing.children_recursive]:
            if hidden:
                part.hide_render = True
                part.hide_set(True)
            else:
                _remove(part)
    for collection in home.children_recursive:
        if names.LOD in collection:
            collection.hide_render = True
            layer = _layer(context.view_layer.layer_collection, collection)
            if layer is not None:
                layer.hide_viewport = True


#: From +Y up to +Z up.
_UP = Matrix(((1, 0, 0, 0), (0, 0, -1, 0), (0, 1, 0, 0), (0, 0, 0, 1)))


def _put_back(by_number: Dict[int, bpy.types.Object], points: Dict[int, Any]) -> None:
    """Puts vertices where they were that the importer moved because bones rest without a scale."""
    for number, wanted in points.items():
        thing = by_number.get(number)
        mesh = thing.data if thing is not None and _is_alive(thing) and thing.type == "MESH" else None
        if mesh is not None and mesh.shape_keys is None and len(mesh.vertices) == len(wanted):
            mesh.vertices.foreach_set("co", [c for x, y, z in wanted.tolist() for c in (x, -z, y)])
            mesh.update()


def _pose_ends(context: bpy.types.Context, made: List[bpy.types.Object], moves: Dict[int, Any]) -> None:
    """Poses the last bones of chains so that they move vertices as the model says, scale included."""
    context.view_layer.update()
    for thing in made:
        if not _is_alive(thing) or thing.type != "ARMATURE":
            continue
        world = thing.matrix_world
        for bone in thing.pose.bones:
            move = moves.get(bone.get(names.NUMBER, bone.bone.get(names.NUMBER)))
            if move is None:
                continue
            wanted = world.inverted_safe() @ _UP @ Matrix(move.tolist()) @ _UP.inverted() @ world
            wanted = wanted @ bone.bone.matrix_local
            if max(abs(a - b) for row, other in zip(wanted, bone.matrix) for a, b in zip(row, other)) > 1e-5:
                bone.matrix = wanted


def _forget_numbers(made: List[bpy.types.Object]) -> None:
    for thing in made:
        if not _is_alive(thing):
            continue
        bones = [*thing.pose.bones, *thing.data.bones] if thing.type == "ARMATURE" else []
        for holder in [thing, *bones]:
            if names.NUMBER in holder:
                del holder[names.NUMBER]


def _remove(thing: bpy.types.Object) -> None:
    bpy.data.objects.remove(thing, do_unlink=True)


def _move(thing: bpy.types.Object, collection: bpy.types.Collection) -> None:
    for old in thing.users_collection:
        old.objects.unlink(thing)
    collection.objects.link(thing)


def _level(home: bpy.types.Collection, level: int) -> bpy.types.Collection:
    for collection in home.children:
        if collection.get(names.LOD) == level:
            return collection
    made = bpy.data.collections.new(f"{home.name} LOD {level}")
    made[names.LOD] = level
    home.children.link(made)
    return made


def _layer(layer: Any, collection: bpy.types.Collection) -> Any:
    """The place of a collection in the view layer."""
    for child in layer.children:
        found = child if child.collection == collection else _layer(child, collection)
        if found is not None:
            return found
    return None


def _turn_round(home: bpy.types.Collection, name: str, made: List[bpy.types.Object]) -> None:
    """Hangs the model on an empty that looks the other way, so that animations of roots stay right."""
    empty = bpy.data.objects.new(name, None)
    home.objects.link(empty)
    empty.rotation_euler[2] = 3.141592653589793
    for thing in made:
        if _is_alive(thing) and thing.parent is None:
            thing.parent = empty


def menu(self: Any, context: bpy.types.Context) -> None:
    self.layout.operator(IMPORT_SCENE_OT_menagerie.bl_idname, text="BOGLE, BMD, DGL2, BO3D, das2")


CLASSES = (IMPORT_SCENE_OT_menagerie, IO_FH_menagerie)
