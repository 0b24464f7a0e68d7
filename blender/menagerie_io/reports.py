"""What was found in the last import or export: kept with the window, shown in a panel."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import webbrowser
from typing import Any, Iterable, List, Set

import bpy
from bpy.props import CollectionProperty, IntProperty, PointerProperty, StringProperty

import menagerie


class MenagerieEntry(bpy.types.PropertyGroup):
    """An issue or a loss"""

    code: StringProperty()
    #: error, warning, info; dropped, approximated, damaged, added
    kind: StringProperty()
    message: StringProperty()
    path: StringProperty()
    #: The bytes to blame, as text.
    place: StringProperty()
    #: The objects that it is about, one a line.
    objects: StringProperty()


class MenagerieReport(bpy.types.PropertyGroup):
    """What was found in the last import or export"""

    title: StringProperty()
    file: StringProperty()
    entries: CollectionProperty(type=MenagerieEntry)
    active: IntProperty()
    explanation: StringProperty()


def report_of(context: bpy.types.Context) -> MenagerieReport:
    return context.window_manager.menagerie


def sentence(path: str, error: BaseException) -> str:
    """An error for people: what, where, which bytes."""
    place = ""
    if isinstance(error, menagerie.MenagerieError) and error.span is not None:
        place = f" (bytes {error.span[0]} to {error.span[1]})"
    return f"{os.path.basename(path)}: {error}{place}"


def _begin(context: bpy.types.Context, title: str, path: str) -> MenagerieReport:
    report = report_of(context)
    report.title, report.file, report.explanation, report.active = title, path, "", 0
    report.entries.clear()
    return report


def _add(report: MenagerieReport, kind: str, finding: Any, objects: Iterable[str] = ()) -> None:
    entry = report.entries.add()
    entry.code, entry.kind, entry.message, entry.path = finding.code, kind, finding.message, finding.path
    span = getattr(finding, "span", None)
    entry.place = f"bytes {span[0]} to {span[1]}" if span else ""
    entry.objects = "\n".join(objects)


def failed(context: bpy.types.Context, path: str, error: BaseException) -> None:
    report = _begin(context, f"{os.path.basename(path)} could not be read", path)
    for issue in getattr(error, "issues", ()):
        _add(report, issue.severity, issue)


def imported(context: bpy.types.Context, path: str, model: menagerie.Model) -> None:
    report = _begin(context, f"Imported {os.path.basename(path)}", path)
    for issue in model.validate().issues:
        _add(report, issue.severity, issue, named(model, issue.path))


def exported(
    context: bpy.types.Context, path: str, losses: Iterable[Any], scene: Any, validation: Any = None, written: Any = None
) -> None:
    report = _begin(context, f"Exported {os.path.basename(path)}", path)
    for loss in losses:
        _add(report, loss.kind, loss, named_in_scene(scene, loss.path))
    for issue in validation.issues if validation is not None else ():
        _add(report, issue.severity, issue, named(written, issue.path))


#: Lists of a Scene whose elements have names.
_LISTS = ("nodes", "meshes", "materials", "skins", "cameras", "lights", "animations")


def named_in_scene(scene: Any, path: str) -> List[str]:
    """The names of the nodes that a path into a Scene is about."""
    found = re.match(r"(\w+)\[(\d+)\]", path)
    if scene is None or found is None or found[1] not in _LISTS:
        return []
    number = int(found[2])
    if found[1] == "nodes":
        return [scene.nodes[number].name] if number < len(scene.nodes) else []
    if found[1] == "animations":
        numbers = {c.node for c in scene.animations[number].channels} if number < len(scene.animations) else set()
        return [scene.nodes[i].name for i in sorted(numbers)]
    singular = {"meshes": "mesh", "skins": "skin", "cameras": "camera", "lights": "light"}
    if found[1] == "materials":
        meshes = {i for i, m in enumerate(scene.meshes) if any(p.material == number for p in m.primitives)}
        return [node.name for node in scene.nodes if node.mesh in meshes]
    return [node.name for node in scene.nodes if getattr(node, singular[found[1]]) == number]


def named(model: Any, path: str) -> List[str]:
    """The name of the element of a file that a path is about, by what the file itself calls it."""
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        try:
            part = model.inspect(path=".".join([*parts[:length], "name"]))
        except (menagerie.MenagerieError, AttributeError):
            continue
        value = part.get("value") if isinstance(part, dict) else None
        if isinstance(value, str) and value:
            return [value]
    return []


class MENAGERIE_OT_select(bpy.types.Operator):
    """Select the objects that this is about"""

    bl_idname = "menagerie.select"
    bl_label = "Select"
    bl_options = {"UNDO"}
    names: StringProperty()

    def execute(self, context: bpy.types.Context) -> Set[str]:
        wanted = [thing for name in self.names.split("\n") for thing in _objects(context, name)]
        if not wanted:
            self.report({"INFO"}, "No object of that name is in the scene")
            return {"CANCELLED"}
        for thing in context.view_layer.objects:
            thing.select_set(False)
        for thing in wanted:
            thing.hide_set(False)
            thing.select_set(True)
        context.view_layer.objects.active = wanted[0]
        return {"FINISHED"}


def _objects(context: bpy.types.Context, name: str) -> List[bpy.types.Object]:
    """The objects of a name, or whose armature has a bone of it."""
    things = list(context.view_layer.objects)
    found = [thing for thing in things if thing.name == name]
    armatures = [thing for thing in things if thing.type == "ARMATURE" and name in thing.data.bones]
    return found or armatures


class MENAGERIE_OT_explain(bpy.types.Operator):
    """What this code means, why it matters, and what to do"""

    bl_idname = "menagerie.explain"
    bl_label = "Explain"
    code: StringProperty()

    def execute(self, context: bpy.types.Context) -> Set[str]:
        text = menagerie.explain(self.code)
        lines = [f"{text['code']}: {text['title']}", text["document"], text["why"], text["fix"]]
        report_of(context).explanation = "\n".join(lines)
        self.report({"INFO"}, f"{text['title']}. {text['why']} {text['fix']}")
        return {"FINISHED"}


class MENAGERIE_OT_view(bpy.types.Operator):
    """Open the file of the last import or export in the viewer, with every field and byte"""

    bl_idname = "menagerie.view"
    bl_label = "Inspect in the Viewer"

    def execute(self, context: bpy.types.Context) -> Set[str]:
        path = report_of(context).file
        if not os.path.isfile(path):
            self.report({"ERROR"}, "There is no file to look at yet")
            return {"CANCELLED"}
        home = os.path.dirname(os.path.dirname(os.path.abspath(menagerie.__file__)))
        environment = {**os.environ, "PYTHONPATH": home}
        page = os.path.join(bpy.app.tempdir, "menagerie.html")
        command = [sys.executable, "-m", "menagerie", "view", path, "-o", page]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode == 2 or not os.path.isfile(page):
            self.report({"ERROR"}, done.stderr.strip().split("\n")[0] or "The viewer did not open")
            return {"CANCELLED"}
        webbrowser.open(f"file://{page}")
        return {"FINISHED"}


class MENAGERIE_UL_entries(bpy.types.UIList):
    """The list of issues and losses"""

    bl_idname = "MENAGERIE_UL_entries"
    ICONS = {"error": "ERROR", "warning": "ERROR", "dropped": "CANCEL", "damaged": "CANCEL", "added": "ADD"}

    def draw_item(self, context: Any, layout: Any, data: Any, item: Any, icon: Any, active: Any, *rest: Any) -> None:
        layout.label(text=f"{item.kind}: {item.message}", icon=self.ICONS.get(item.kind, "INFO"))


class MENAGERIE_PT_report(bpy.types.Panel):
    """Issues and losses of the last import or export"""

    bl_idname = "MENAGERIE_PT_report"
    bl_label = "Menagerie"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Menagerie"

    def draw(self, context: bpy.types.Context) -> None:
        report, layout = report_of(context), self.layout
        if not report.title:
            layout.label(text="Nothing was imported or exported yet")
            return
        layout.label(text=report.title)
        layout.operator(MENAGERIE_OT_view.bl_idname, icon="VIEWZOOM")
        if not report.entries:
            layout.label(text="Nothing is wrong, nothing was lost", icon="CHECKMARK")
            return
        layout.template_list(MENAGERIE_UL_entries.bl_idname, "", report, "entries", report, "active")
        entry = report.entries[min(report.active, len(report.entries) - 1)]
        box = layout.box()
        for line in (entry.code, entry.path, entry.place, entry.message):
            if line:
                _wrapped(box, line)
        row = box.row()
        row.operator(MENAGERIE_OT_explain.bl_idname).code = entry.code
        if entry.objects:
            row.operator(MENAGERIE_OT_select.bl_idname).names = entry.objects
        for line in report.explanation.split("\n") if report.explanation else ():
            _wrapped(layout, line)


def _wrapped(layout: Any, text: str, width: int = 46) -> None:
    words, line = text.split(), ""
    for word in words:
        if len(line) + len(word) >= width:
            layout.label(text=line)
            line = ""
        line = f"{line} {word}".strip()
    if line:
        layout.label(text=line)


CLASSES = (
    MenagerieEntry,
    MenagerieReport,
    MENAGERIE_OT_select,
    MENAGERIE_OT_explain,
    MENAGERIE_OT_view,
    MENAGERIE_UL_entries,
    MENAGERIE_PT_report,
)


def register() -> None:
    bpy.types.WindowManager.menagerie = PointerProperty(type=MenagerieReport)


def unregister() -> None:
    del bpy.types.WindowManager.menagerie
