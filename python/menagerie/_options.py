"""Keyword arguments as the options that the program has."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, Union

PathLike = Union[str, "os.PathLike[str]"]

#: Options that may be given several times.
_REPEATED = ("texture_dir", "texture", "deny", "allow")
#: Options whose value is one text with commas.
_JOINED = ("lod",)


def _plain(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return [f"{name}={_plain(file)}" for name, file in value.items()]
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def _named(options: Mapping[str, Any]) -> Dict[str, Any]:
    """By the program's names; ``from_``, ``for_`` and ``as_`` have an underscore because Python keeps the words for itself."""
    named: Dict[str, Any] = {}
    for name, value in options.items():
        if value is None:
            continue
        value = _plain(value)
        if name in _REPEATED and not isinstance(value, list):
            value = [value]
        named[name.rstrip("_").replace("_", "-")] = value
    return named


def as_json(options: Mapping[str, Any]) -> str:
    """For the native part."""
    return json.dumps(_named(options))


def as_arguments(options: Mapping[str, Any]) -> List[str]:
    """For the program: ``scale=2`` is ``--scale=2``, ``verify=True`` is ``--verify``."""
    arguments: List[str] = []
    for name, value in _named(options).items():
        if value is True:
            arguments.append(f"--{name}")
        elif value is False:
            # Only options that can be on by themselves are turned off by a word.
            arguments.extend([f"--{name}=false"] if name == "embed-textures" else [])
        elif isinstance(value, list) and name in _JOINED:
            arguments.append(f"--{name}={','.join(str(part) for part in value)}")
        elif isinstance(value, list):
            arguments.extend(f"--{name}={part}" for part in value)
        else:
            arguments.append(f"--{name}={value}")
    return arguments
