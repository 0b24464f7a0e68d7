"""What is said about files: issues, losses, differences, and the results of verbs."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

__all__ = ["Conversion", "Converted", "Diff", "Difference", "Issue", "Loss", "Texture", "Validation"]


#: The word is also that of a field.
Bytes = bytes


@dataclass(frozen=True)
class Issue:
    """Something that is wrong with a file, or worth knowing about it."""

    code: str
    severity: str
    message: str
    offset: Optional[int]
    length: Optional[int]
    path: str

    @property
    def span(self) -> Optional[Tuple[int, int]]:
        """The first byte to blame and the one behind the last; nothing where no byte is."""
        if self.offset is None or self.length is None:
            return None
        return self.offset, self.offset + self.length

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return f"{where}{self.message} [{self.code}]"


@dataclass(frozen=True)
class Loss:
    """Something that a conversion dropped, approximated or added, or that the source lacks already."""

    code: str
    #: ``dropped``, ``approximated``, ``damaged`` or ``added``; what was added is no loss.
    kind: str
    path: str
    message: str
    count: int
    max_error: Optional[float]
    mean_error: Optional[float]
    unit: Optional[str]


@dataclass(frozen=True)
class Difference:
    """What differs between two models in one respect."""

    code: str
    path: str
    message: str
    count: int
    max_error: Optional[float]
    mean_error: Optional[float]
    unit: Optional[str]


@dataclass(frozen=True)
class Texture:
    """A picture that a model names."""

    name: str
    found: bool
    tried: Tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Diff:
    """All differences of two models; true where there is one."""

    differences: Tuple[Difference, ...]

    @property
    def equal(self) -> bool:
        return not self.differences

    def __bool__(self) -> bool:
        return bool(self.differences)


@dataclass(frozen=True)
class Validation:
    """What is wrong with a file; true where nothing is that makes it invalid."""

    file: str
    format: Optional[str]
    valid: bool
    counts: Mapping[str, int]
    issues: Tuple[Issue, ...]

    def __bool__(self) -> bool:
        return self.valid


@dataclass(frozen=True)
class Converted:
    """A model in another format, in memory."""

    #: The file.
    bytes: Bytes = field(repr=False)
    #: The files that belong beside it, by name.
    files: Mapping[str, Bytes] = field(repr=False)
    #: The format that it was; nothing for a Scene that was built.
    from_format: Optional[str]
    to_format: str
    #: What was dropped, approximated, damaged and added.
    losses: Tuple[Loss, ...]
    #: What was asked for, and what it changed.
    requested: Tuple[Loss, ...]
    textures: Tuple[Texture, ...]
    #: What is wrong with the source.
    issues: Tuple[Issue, ...]
    #: What the target's original engine does with the result that its document does not say.
    engine: Tuple[Issue, ...]

    @property
    def lossless(self) -> bool:
        """Whether nothing is gone or other than it was; what was added is no loss."""
        return all(loss.kind == "added" for loss in self.losses)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> Path:
        """Writes the file, and the files that belong beside it into its folder, each in one step."""
        target = Path(path)
        for name, content in self.files.items():
            base = name.replace("\\", "/").rsplit("/", 1)[-1]
            if base not in ("", ".", ".."):
                _replace(target.parent / base, content)
        _replace(target, self.bytes)
        return target


@dataclass(frozen=True)
class Conversion:
    """What became of one file that was converted to another."""

    file: str
    #: The file that was written.
    output: Optional[str]
    from_format: Optional[str]
    to_format: str
    #: The size of the result.
    bytes: int
    beside: Tuple[str, ...]
    losses: Tuple[Loss, ...]
    requested: Tuple[Loss, ...]
    textures: Tuple[Texture, ...]
    issues: Tuple[Issue, ...]
    engine: Tuple[Issue, ...]
    #: With ``verify``, how the result that was read back differs, and how much of that no loss announced.
    verify: Optional[Mapping[str, Any]]
    #: Why there is no result.
    error: Optional[str]

    @property
    def lossless(self) -> bool:
        """Whether nothing is gone or other than it was; what was added is no loss."""
        return self.error is None and all(loss.kind == "added" for loss in self.losses)


def _replace(target: Path, content: bytes) -> None:
    unfinished = target.with_name(f".menagerie-{os.getpid()}-{target.name}.tmp")
    try:
        unfinished.write_bytes(content)
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def of_json(values: Dict[str, Any]) -> Dict[str, Any]:
    """The fields of ``convert --json`` as those of the classes here."""
    lists: Dict[str, type] = {
        "losses": Loss,
        "requested": Loss,
        "issues": Issue,
        "engine": Issue,
        "textures": Texture,
    }
    found = {name: value for name, value in values.items() if name not in ("from", "to")}
    for name, kind in lists.items():
        found[name] = tuple(_element(kind, value) for value in values.get(name) or ())
    found["from_format"], found["to_format"] = values["from"], values["to"]
    if "beside" in found:
        found["beside"] = tuple(found["beside"])
    return found


def _element(kind: type, value: Dict[str, Any]) -> Any:
    made = {name: tuple(part) if isinstance(part, list) else part for name, part in value.items()}
    return made_of(kind, made)


def made_of(kind: Any, values: Dict[str, Any]) -> Any:
    """An object of the fields that it knows; what the program says beyond that is not for it."""
    known = {each.name for each in fields(kind)}
    return kind(**{name: value for name, value in values.items() if name in known})


def issues_of(values: List[Dict[str, Any]]) -> Tuple[Issue, ...]:
    return tuple(made_of(Issue, value) for value in values)
