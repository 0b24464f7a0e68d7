"""File → Export: models of the five formats, with what that costs said before the file is written."""

from __future__ import annotations

import json
import os
import re
import tempfile
from typing import Any, Dict, List, Optional, Set, Tuple

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

import menagerie
from menagerie.scene import Scene

from . import bridge, names, reports
from .importing import EXTENSIONS, MODEL

#: `fox LOD 1`, `fox_LOD1` and `fox.LOD1` stand in for `fox`.
_LOD_NAME = re.compile(r"^(?P<of>.+?)[ _.]?LOD[ _]?(?P<level>[1-9])(\.\d{3})?$", re.IGNORECASE)


class Pending:
    """What is ready to be written."""

    def __init__(self, path: str, model: menagerie.Model, scene: Scene, converted: Any, options: Dict[str, Any]) -> None:
        self.path, self.model, self.scene, self.converted, self.options = path, model, scene, converted, options

    def write(self, context: bpy.types.Context) -> List[str]:
        """Writes the file and checks it; gives the sentences to report."""
        done = self.model.save(self.path, verify=True, **self.options)
        written = menagerie.open(self.path)
        validation = written.validate()
        reports.exported(context, self.path, done.losses, self.scene, validation, written)
        wrong = [str(issue) for issue in validation.issues if issue.severity == "error"]
        if done.verify and done.verify["unreported"]:
            wrong.append(f"{done.verify['unreported']} differences were not announced; please report it with the file")
        return wrong


_pending: Optional[Pending] = None


class EXPORT_SCENE_OT_menagerie(bpy.types.Operator, ExportHelper):
    """Export a model of BOGLE, BMD, DGL2, BO3D or das2"""

    bl_idname = "export_scene.menagerie"
    bl_label = "Export"
    bl_options = {"PRESET"}

    filename_ext: StringProperty(default=".bmd", options={"HIDDEN"})
    filter_glob: StringProperty(default=";".join(f"*{e}" for e in EXTENSIONS.values()), options={"HIDDEN"})
    check_extension = None
    format: EnumProperty(
        name="Format", items=[(known, known.upper() if known != "das2" else known, "") for known in EXTENSIONS], default="bmd"
    )
    use_selection: BoolProperty(name="Selected Objects", description="Only these", default=False)
    apply_modifiers: BoolProperty(
        name="Apply Modifiers", description="All but armatures; shape keys are lost by it", default=False
    )
    actions: StringProperty(name="Actions", description="Names with commas between; empty for all")
    sample: BoolProperty(
        name="Sample Animations", description="A key at every frame, for what is moved by constraints", default=False
    )
    lods: BoolProperty(name="Levels of Detail", description="Objects of LOD collections stand in for others", default=True)
    fps: FloatProperty(name="Frames a Second", description="For formats that store frames; 0 for their own", min=0, default=0)
    purpose: EnumProperty(
        name="Written for",
        items=[
            ("both", "Both", "Right by the document and in the engine"),
            ("engine", "The Engine", "What came from the format itself is mended for its engine too"),
            ("document", "The Document", "The plain form that the document describes"),
        ],
        default="both",
    )
    more: StringProperty(name="Options", description="Of the format, such as bo3d_float=16 das2_level=6")
    confirm: BoolProperty(
        name="Ask before Losses", description="Show what will be lost before the file is written", default=True
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Set[str]:
        if not self.filepath:
            self.filepath = (os.path.splitext(bpy.data.filepath)[0] or "untitled") + EXTENSIONS[self.format]
        return ExportHelper.invoke(self, context, event)

    def check(self, context: bpy.types.Context) -> bool:
        wanted = os.path.splitext(self.filepath)[0] + EXTENSIONS[self.format]
        changed = wanted != self.filepath
        self.filepath = wanted
        return changed

    def execute(self, context: bpy.types.Context) -> Set[str]:
        global _pending
        path = os.path.splitext(self.filepath)[0] + EXTENSIONS[self.format]
        try:
            scene = gather(context, self)
            options = self._options()
            model = truthful(scene, self.format, options)
            converted = model.convert(self.format, stem=os.path.splitext(os.path.basename(path))[0], **options)
        except (menagerie.MenagerieError, OSError, ValueError) as error:
            reports.failed(context, path, error)
            self.report({"ERROR"}, reports.sentence(path, error))
            return {"CANCELLED"}
        reports.exported(context, path, converted.losses, scene)
        for loss in converted.losses:
            self.report({"INFO"}, f"{loss.kind}: {loss.message} [{loss.code}]")
        _pending = Pending(path, model, scene, converted, options)
        if self.confirm and not converted.lossless and not bpy.app.background:
            bpy.ops.menagerie.confirm_export("INVOKE_DEFAULT")
            return {"FINISHED"}
        return write_pending(self, context)

    def _options(self) -> Dict[str, Any]:
        options: Dict[str, Any] = {}
        if self.fps > 0:
            options["fps"] = self.fps
        if self.purpose != "both":
            options["for_"] = self.purpose
        for word in self.more.replace(",", " ").split():
            name, _, value = word.partition("=")
            options[name.strip("-").replace("-", "_")] = value or True
        return options


class MENAGERIE_OT_confirm_export(bpy.types.Operator):
    """Write the file although something is lost"""

    bl_idname = "menagerie.confirm_export"
    bl_label = "Write It"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Set[str]:
        return context.window_manager.invoke_props_dialog(self, width=700, title="This Will Be Lost", confirm_text="Write It")

    def draw(self, context: bpy.types.Context) -> None:
        losses = _pending.converted.losses if _pending else ()
        for loss in losses[:30]:
            size = "" if loss.max_error is None else f" (at most {loss.max_error:.3g} {loss.unit})"
            self.layout.label(text=f"{loss.kind}: {loss.message}{size} [{loss.code}]")
        if len(losses) > 30:
            self.layout.label(text=f"… and {len(losses) - 30} more, in the panel")

    def execute(self, context: bpy.types.Context) -> Set[str]:
        return write_pending(self, context)


def write_pending(operator: bpy.types.Operator, context: bpy.types.Context) -> Set[str]:
    """Writes what is ready, and says what is wrong with it."""
    global _pending
    pending, _pending = _pending, None
    if pending is None:
        return {"CANCELLED"}
    try:
        wrong = pending.write(context)
    except (menagerie.MenagerieError, OSError) as error:
        operator.report({"ERROR"}, reports.sentence(pending.path, error))
        return {"CANCELLED"}
    for sentence in wrong:
        operator.report({"WARNING"}, sentence)
    count = len([loss for loss in pending.converted.losses if loss.kind != "added"])
    operator.report({"INFO"}, f"{os.path.basename(pending.path)}: written, {count or 'no'} losses")
    return {"FINISHED"}


def gather(context: bpy.types.Context, how: Any) -> Scene:
    """What Blender shows, as a Scene: by its own glTF exporter, and with what that does not say."""
    handle, path = tempfile.mkstemp(suffix=".glb")
    os.close(handle)
    try:
        with _only_actions(how.actions), _all_layers(context):
            bpy.ops.export_scene.gltf(
                filepath=path,
                export_format="GLB",
                use_selection=how.use_selection,
                use_active_scene=True,
                export_apply=how.apply_modifiers,
                export_extras=True,
                export_cameras=True,
                export_lights=True,
                export_attributes=True,
                export_all_influences=True,
                export_force_sampling=how.sample,
                export_optimize_animation_size=False,
                export_animation_mode="ACTIONS",
                export_import_convert_lighting_mode="SPEC",
            )
        with open(path, "rb") as file:
            scene = menagerie.open(file.read()).scene()
    finally:
        os.unlink(path)
    wanted = _names(how.actions)
    if wanted:
        # Blender exports every action that fits an armature, whichever tracks are muted.
        scene.animations = [animation for animation in scene.animations if animation.name in wanted]
    return bridge.restore(scene, _states(context, how.lods), _notes(context))


def truthful(scene: Scene, to: str, options: Dict[str, Any]) -> menagerie.Model:
    """The model to convert. What the format itself noted about a file that was imported is used again, unless the result
    would then differ from what Blender shows in a way that no loss names: notes do not know what was edited since."""
    with_notes = menagerie.open(scene.write("glb").bytes)
    if _unreported(with_notes, to, options) == 0:
        return with_notes
    for holder in _holders(scene):
        holder.extras = {name: kept for name, kept in holder.extras.items() if name != to}
    without = menagerie.open(scene.write("glb").bytes)
    return without if _unreported(without, to, options) == 0 else with_notes


def _unreported(model: menagerie.Model, to: str, options: Dict[str, Any]) -> int:
    """How many differences between a model and its result no loss announces."""
    with tempfile.TemporaryDirectory() as folder:
        done = model.save(os.path.join(folder, f"result{EXTENSIONS[to]}"), verify=True, **options)
    return int(done.verify["unreported"]) if done.verify else 0


def _holders(scene: Scene) -> List[Any]:
    """Everything that a format can note something about."""
    lists = [scene.nodes, scene.meshes, scene.materials, scene.textures, scene.images, scene.cameras, scene.lights]
    holders = [scene, *scene.scenes, *scene.skins, *scene.animations, *(element for elements in lists for element in elements)]
    holders += [primitive for mesh in scene.meshes for primitive in mesh.primitives]
    return holders + [channel for animation in scene.animations for channel in animation.channels]


def _names(text: str) -> Set[str]:
    """The names that commas separate."""
    return {name.strip() for name in text.split(",") if name.strip()}


class _only_actions:
    """Leaves out actions while a model is exported."""

    def __init__(self, names: str) -> None:
        self.wanted = _names(names)
        self.changed: List[Tuple[Any, Any, Any]] = []
        self.muted: List[Tuple[Any, bool]] = []

    def __enter__(self) -> None:
        if not self.wanted:
            return
        for action in bpy.data.actions:
            if action.name not in self.wanted:
                self.changed.append((action, action.name, action.use_fake_user))
        owners = [*bpy.data.objects, *(key for key in bpy.data.shape_keys)]
        for owner in owners:
            data = owner.animation_data
            if data is None:
                continue
            for track in list(data.nla_tracks):
                if any(strip.action and strip.action.name not in self.wanted for strip in track.strips):
                    self.muted.append((track, track.mute))
                    track.mute = True
            if data.action is not None and data.action.name not in self.wanted:
                self.changed.append((data, data.action, getattr(data, "action_slot", None)))
                data.action = None

    def __exit__(self, *_: Any) -> None:
        for track, mute in self.muted:
            track.mute = mute
        for data, action, slot in self.changed:
            if isinstance(action, bpy.types.Action):
                data.action = action
                if slot is not None:
                    data.action_slot = slot


class _all_layers:
    """Shows hidden collections while a model is exported, since what is in them belongs to it."""

    def __init__(self, context: bpy.types.Context) -> None:
        self.root = context.view_layer.layer_collection
        self.hidden: List[Any] = []

    def __enter__(self) -> None:
        open_layers = [self.root]
        while open_layers:
            layer = open_layers.pop()
            open_layers.extend(layer.children)
            if layer.hide_viewport:
                self.hidden.append(layer)
                layer.hide_viewport = False

    def __exit__(self, *_: Any) -> None:
        for layer in self.hidden:
            layer.hide_viewport = True


def _states(context: bpy.types.Context, lods: bool) -> Dict[str, bridge.ObjectState]:
    """What the exporter does not say about objects."""
    states: Dict[str, bridge.ObjectState] = {}
    known_names = {thing.name for thing in context.scene.objects}
    for thing in context.scene.objects:
        known = json.loads(thing.get(names.LOD, "{}"))
        by_name = _LOD_NAME.match(thing.name)
        if not known and by_name and by_name["of"] in known_names:
            known = {"of": by_name["of"], "level": int(by_name["level"])}
        if not lods:
            known = {}
        states[thing.name] = bridge.ObjectState(
            thing.hide_render, known.get("of"), known.get("level", 1), known.get("distance")
        )
    return states


def _notes(context: bpy.types.Context) -> Dict[str, Any]:
    """What only a format knows about the model, if one was imported into this scene."""
    for collection in context.scene.collection.children_recursive:
        if MODEL in collection:
            notes: Dict[str, Any] = json.loads(collection[MODEL])
            return notes
    return {}


def menu(self: Any, context: bpy.types.Context) -> None:
    for known, extension in EXTENSIONS.items():
        name = known if known == "das2" else known.upper()
        self.layout.operator(EXPORT_SCENE_OT_menagerie.bl_idname, text=f"{name} ({extension})").format = known


CLASSES = (EXPORT_SCENE_OT_menagerie, MENAGERIE_OT_confirm_export)
