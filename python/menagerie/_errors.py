"""What goes wrong, as exceptions that say who is to blame, where and why."""

from __future__ import annotations

import json
from typing import List, Optional, Sequence, Tuple

from ._reports import Issue, issues_of

__all__ = [
    "FileError",
    "InternalError",
    "LimitError",
    "MenagerieError",
    "ParameterError",
    "UnsupportedError",
]


class MenagerieError(Exception):
    """Something could not be done. ``code``, ``span`` and ``path`` are those of the reason; ``issues`` has all that was found.

    >>> import menagerie
    >>> try:
    ...     menagerie.open(b"neither fish nor fowl")
    ... except menagerie.MenagerieError as error:
    ...     print(error.code, error.span)
    file/unknown-format (0, 16)
    """

    #: All that was found, the reason first.
    issues: Sequence[Issue]
    #: The format of the file, where it is known.
    format: Optional[str]

    def __init__(self, message: str, issues: Sequence[Issue] = (), format: Optional[str] = None) -> None:
        super().__init__(message)
        self.issues = tuple(issues)
        self.format = format

    def __reduce__(self) -> Tuple[type, Tuple[str, Tuple[Issue, ...], Optional[str]]]:
        # Exceptions cross between processes by pickle.
        return type(self), (str(self), tuple(self.issues), self.format)

    @property
    def code(self) -> Optional[str]:
        """The code of the reason, such as ``bo3d/magic``; ``menagerie.explain`` says more about it."""
        return self.issues[0].code if self.issues else None

    @property
    def span(self) -> Optional[Tuple[int, int]]:
        """The first byte to blame and the one behind the last."""
        return self.issues[0].span if self.issues else None

    @property
    def path(self) -> Optional[str]:
        """Where in the file's structure, such as ``meshes[3].triangles[17].v1``."""
        return self.issues[0].path if self.issues else None


class FileError(MenagerieError):
    """The file is broken; the issues say where."""


class LimitError(MenagerieError):
    """It would cost more than the limits allow."""


class UnsupportedError(MenagerieError):
    """The file is in no known format, or needs what is not understood."""


class ParameterError(MenagerieError, ValueError):
    """What was asked for cannot be done."""


class InternalError(MenagerieError):
    """A fault of menagerie itself: please report it with the file."""


def make(details: str) -> MenagerieError:
    """The exception for what the native part says."""
    known = json.loads(details)
    kind = {cls.__name__: cls for cls in MenagerieError.__subclasses__()}[known["class"]]
    issues: List[Issue] = list(issues_of(known["issues"]))
    return kind(known["message"], issues, known["format"])
