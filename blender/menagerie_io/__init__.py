"""Models of BOGLE, BMD, DGL2, BO3D and das2 in Blender's File menu, by the menagerie library."""

from __future__ import annotations

import bpy

from . import exporting, importing, reports


def register() -> None:
    for kind in (*reports.CLASSES, *importing.CLASSES, *exporting.CLASSES):
        bpy.utils.register_class(kind)
    reports.register()
    bpy.types.TOPBAR_MT_file_import.append(importing.menu)
    bpy.types.TOPBAR_MT_file_export.append(exporting.menu)


def unregister() -> None:
    bpy.types.TOPBAR_MT_file_export.remove(exporting.menu)
    bpy.types.TOPBAR_MT_file_import.remove(importing.menu)
    reports.unregister()
    for kind in reversed((*reports.CLASSES, *importing.CLASSES, *exporting.CLASSES)):
        bpy.utils.unregister_class(kind)
