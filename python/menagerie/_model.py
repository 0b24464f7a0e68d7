"""Models, and the verbs of the program as functions."""

from __future__ import annotations

import concurrent.futures
import json
import os
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Callable, Dict, List, Literal, Optional, Sequence, Tuple, Union, overload

from . import _native
from ._errors import MenagerieError, ParameterError, UnsupportedError
from ._options import PathLike, as_arguments, as_json
from ._reports import Bytes, Conversion, Converted, Diff, Difference, Issue, Validation, issues_of, made_of, of_json

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .scene import Scene

#: Where a model comes from: a path, bytes of any kind, or a file that was opened for reading bytes.
Source = Union[PathLike, bytes, bytearray, memoryview, IO[bytes]]
Progress = Callable[[int, int, str], object]

#: Options of reading; the others are of no use when a file is opened.
_READING = ("from_", "fps", "texture_dir", "texture")


class Model:
    """A model that was read: the file as it is, and what is wrong with it.

    >>> import menagerie
    >>> model = menagerie.open(sample)
    >>> model.format, model.summary["geometry"]["triangles"]
    ('bo3d', 12)
    >>> model.convert("glb").bytes[:4]
    b'glTF'
    """

    def __init__(self, native: _native.Model, path: Optional[str], options: Dict[str, Any]) -> None:
        self._native = native
        self._path = path
        self._options = options

    @property
    def format(self) -> str:
        """The id of its format, such as ``bo3d``."""
        return self._native.format

    @property
    def path(self) -> Optional[Path]:
        """Where it was read from, if that was a file."""
        return None if self._path is None else Path(self._path)

    @property
    def bytes(self) -> Bytes:
        """The file."""
        return self._native.bytes

    @property
    def damaged(self) -> bool:
        """Whether reading had to give something up."""
        return self._native.damaged

    @property
    def summary(self) -> Dict[str, Any]:
        """What is in the file: ``profile``, ``contents`` and ``geometry``, as ``info`` has them."""
        summary: Dict[str, Any] = json.loads(self._native.summary())
        return summary

    @property
    def issues(self) -> Tuple[Issue, ...]:
        """What is wrong with the file, as far as reading it shows; :meth:`validate` looks further."""
        return issues_of(json.loads(self._native.issues()))

    @property
    def structure(self) -> Dict[str, Any]:
        """The file as a tree, every field with its byte range and value, as ``inspect --json`` has it."""
        return self.inspect()

    def inspect(self, **options: Any) -> Dict[str, Any]:
        """The tree or a part of it; options are those of ``menagerie inspect``, such as ``path`` and ``depth``."""
        tree: Dict[str, Any] = json.loads(self._run("inspect", ["--json"], options, fine=(0, 1)))
        return tree

    def info(self, **options: Any) -> Dict[str, Any]:
        """What is in the file, as ``info --json`` has it."""
        return _only(self._run("info", ["--json"], options, fine=(0, 1)))

    def validate(self, **options: Any) -> Validation:
        """All that is wrong with the file; options are those of ``menagerie validate``."""
        return _validation(self._run("validate", ["--json"], options, fine=(0, 1)))

    def scene(self, *, as_: Literal["document", "engine"] = "document") -> "Scene":
        """What the model means: nodes, meshes, materials, skins and animations, with numpy arrays over the reader's memory."""
        from .scene import Scene

        structure, lists, found = self._native.scene(as_json(self._options), as_ == "engine")
        scene = Scene._load(json.loads(structure), lists)
        scene.issues = issues_of(json.loads(found))
        return scene

    def convert(self, to: str, **options: Any) -> Converted:
        """The model in another format, in memory, with all that was lost.

        ``to`` is the name of a format or one of its extensions; options are those of ``menagerie convert``.
        """
        stem = {} if self._path is None else {"stem": Path(self._path).stem}
        asked = {**self._options, **stem, **options}
        content, files, details = self._native.convert(to, as_json(asked))
        return Converted(bytes=content, files=dict(files), **of_json(json.loads(details)))

    def save(self, path: PathLike, **options: Any) -> Conversion:
        """Writes the model to a file in the format of its extension, as ``menagerie convert`` does, in one step."""
        target = os.fspath(path)
        return _conversion(self._run("convert", ["--json"], options, [target], fine=(0, 1, 2)))

    @overload
    def render(self, *, output: Literal["array"] = "array", **options: Any) -> "npt.NDArray[np.uint8]": ...
    @overload
    def render(self, *, output: Literal["png"], **options: Any) -> Bytes: ...
    def render(self, *, output: str = "array", **options: Any) -> Any:
        """A picture: rows, columns, red green blue alpha, or with ``output="png"`` a PNG file.

        Options are those of ``menagerie render``: ``size``, ``camera``, ``animation``, ``time``, ``background`` and more.
        """
        return _picture(self._run("render", ["--output=-"], options, fine=(0, 1)), output)

    def _run(
        self,
        verb: str,
        arguments: List[str],
        options: Dict[str, Any],
        after: Sequence[str] = (),
        fine: Tuple[int, ...] = (0,),
    ) -> Bytes:
        # Where nothing moves there are no frames.
        left_out = ("fps",) if verb in ("inspect", "validate") else ()
        known = {name: value for name, value in self._options.items() if name not in left_out}
        asked = [*arguments, *as_arguments({"from_": self.format, **known, **options})]
        code, out, said = self._native.program([verb, *asked, "-", *after])
        return _answer(code, out, said, fine)

    def __repr__(self) -> str:
        return f"<menagerie.Model {self.format} {self._path or ''} {self._native.size} bytes>"


def open(source: Source, *, name: Optional[PathLike] = None, **options: Any) -> Model:
    """Reads a model of any format.

    ``source`` is a path, bytes of any kind (``bytes``, ``bytearray``, ``memoryview``), or a file that was opened for
    reading bytes. Pictures and buffers that the model names are looked up in the folder of the path and nowhere else; of
    bytes, ``name`` may say which file they were. Options are those of the program that are about reading: ``from_``,
    ``fps``, ``texture_dir``, ``texture``, and those of single formats.

    >>> import menagerie
    >>> import pathlib
    >>> with pathlib.Path(sample).open("rb") as file:
    ...     menagerie.open(file).format
    'bo3d'
    >>> menagerie.open(memoryview(menagerie.open(sample).bytes)).format
    'bo3d'
    """
    content, path = _read(source)
    if name is not None:
        path = os.fspath(name)
    return Model(_native.Model(content, path, as_json(options)), path, options)


def _read(source: Source) -> Tuple[Optional[bytes], Optional[str]]:
    if isinstance(source, (str, os.PathLike)):
        return None, os.fspath(source)
    if isinstance(source, bytes):
        return source, None
    if isinstance(source, (bytearray, memoryview)):
        return bytes(source), None
    content = source.read()
    if not isinstance(content, bytes):
        raise TypeError("the file must be opened for reading bytes: mode 'rb'")
    name = getattr(source, "name", None)
    return content, name if isinstance(name, str) else None


def _answer(code: int, out: bytes, said: str, fine: Tuple[int, ...]) -> bytes:
    """What the program printed, unless it could not do it."""
    if code in fine and out:
        return out
    message = said.strip() or f"the program ended with exit code {code}"
    if "Usage:" in message or code not in (0, 1, 2):
        raise ParameterError(message.split("\n\n")[0].replace("error: ", "", 1))
    raise MenagerieError(message.replace("error: ", "", 1))


def _only(answer: bytes) -> Dict[str, Any]:
    value: Dict[str, Any] = json.loads(answer)[0]
    return value


def _validation(answer: bytes) -> Validation:
    value = _only(answer)
    if "error" in value:
        raise FileNotFoundError(f"{value['file']}: {value['error']}")
    value["issues"] = issues_of(value["issues"])
    validation: Validation = made_of(Validation, value)
    return validation


def _conversion(answer: bytes) -> Conversion:
    report: Conversion = made_of(Conversion, of_json(_only(answer)))
    if report.error is not None:
        raise _why(report)
    return report


def _why(report: Conversion) -> MenagerieError:
    """The exception for a conversion that was not done; its reason is the last issue that the message names."""
    message = f"{report.file}: {report.error}"
    reason = [issue for issue in report.issues if f"[{issue.code}]" in message]
    rest = [issue for issue in report.issues if issue not in reason]
    kind = UnsupportedError if "[file/unknown-format]" in message else MenagerieError
    return kind(message, [*reason, *rest], report.from_format)


def _picture(png: bytes, output: str) -> Any:
    if output == "png":
        return png
    if output != "array":
        raise ParameterError(f"output is 'array' or 'png', not {output!r}")
    import numpy as np

    return np.asarray(_native.pixels(png))


def _opened(source: Union[Source, Model, "Scene"], options: Dict[str, Any]) -> Model:
    """The model of whatever stands for one."""
    from .scene import Scene

    if isinstance(source, Model):
        return source
    if isinstance(source, Scene):
        return open(source.write("glb").bytes)
    return open(source, **options)


def _split(options: Dict[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Options of reading, and the others."""
    reading = {name: value for name, value in options.items() if name in _READING}
    return reading, {name: value for name, value in options.items() if name not in _READING}


@overload
def convert(
    source: Source, target: PathLike, *, to: Optional[str] = None, progress: Optional[Progress] = None, **options: Any
) -> Conversion: ...
@overload
def convert(
    source: Sequence[PathLike],
    target: PathLike,
    *,
    to: Optional[str] = None,
    progress: Optional[Progress] = None,
    **options: Any,
) -> List[Conversion]: ...
def convert(
    source: Any, target: PathLike, *, to: Optional[str] = None, progress: Optional[Progress] = None, **options: Any
) -> Any:
    """Converts a file to another, or a list of files into a folder, as ``menagerie convert`` does.

    One file that cannot be converted is an exception; of several, each result has its ``error``, and the others are done.
    They are converted on all cores. ``progress`` is called in the caller's thread after each with the number of those that
    are done, the number of all, and the name of the file.

    >>> import menagerie
    >>> report = menagerie.convert(sample, folder / "crate.stl")
    >>> sorted({loss.code for loss in report.losses})[:2]
    ['loss/colors', 'loss/extras']
    """
    options = {"to": to, **options}
    if not isinstance(source, (list, tuple)):
        report = _convert_one(source, os.fspath(target), options)
        if progress is not None:
            progress(1, 1, report.file)
        if report.error is not None:
            raise _why(report)
        return report
    os.makedirs(target, exist_ok=True)
    return _convert_all(source, os.path.join(os.fspath(target), ""), options, progress)


def _convert_one(source: Source, target: str, options: Dict[str, Any]) -> Conversion:
    if isinstance(source, (str, os.PathLike)):
        arguments = ["convert", "--json", *as_arguments(options), "--", os.fspath(source), target]
        answer = _answer(*_native.run_program(arguments), fine=(0, 1, 2))
    else:
        reading, others = _split(options)
        answer = open(source, **reading)._run("convert", ["--json"], others, [target], fine=(0, 1, 2))
    report: Conversion = made_of(Conversion, of_json(_only(answer)))
    return report


def _convert_all(
    sources: Sequence[PathLike], folder: str, options: Dict[str, Any], progress: Optional[Progress]
) -> List[Conversion]:
    done: List[Optional[Conversion]] = [None] * len(sources)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(_convert_one, path, folder, options): i for i, path in enumerate(sources)}
        for count, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            done[jobs[job]] = job.result()
            if progress is not None:
                progress(count, len(sources), os.fspath(sources[jobs[job]]))
    return [report for report in done if report is not None]


def info(source: Union[Source, Model], **options: Any) -> Dict[str, Any]:
    """What is in a file, as ``info --json`` has it; a file that cannot be read is an exception.

    >>> import menagerie
    >>> menagerie.info(sample)["geometry"]
    {'vertices': 24, 'triangles': 12}
    """
    return _opened(source, _split(options)[0]).info(**options)


def validate(source: Union[Source, Model], **options: Any) -> Validation:
    """All that is wrong with a file, however broken it is; options are those of ``menagerie validate``.

    >>> import menagerie
    >>> report = menagerie.validate(b"BO3D but not for long")
    >>> report.valid, report.issues[0].code
    (False, 'bo3d/version-newer')
    """
    if isinstance(source, Model):
        return source.validate(**options)
    content, path = _read(source)
    if content is None:
        assert path is not None
        arguments = ["validate", "--json", *as_arguments(options), "--", path]
        return _validation(_answer(*_native.run_program(arguments), fine=(0, 1, 2)))
    try:
        return open(content, **_split(options)[0]).validate(**options)
    except MenagerieError as error:
        if error.code is None:
            raise
        counts = {s: sum(issue.severity == s for issue in error.issues) for s in ("error", "warning", "info")}
        return Validation("-", error.format, False, counts, tuple(error.issues))


def diff(
    a: Union[Source, Model, "Scene"],
    b: Union[Source, Model, "Scene"],
    *,
    tolerance: Optional[float] = None,
    **options: Any,
) -> Diff:
    """What differs between two models by meaning, whatever their formats, with measured errors.

    >>> import menagerie
    >>> menagerie.diff(sample, menagerie.open(sample).convert("glb").bytes).equal
    True
    """
    from .scene import Scene

    def cross(source: Union[Source, Model, Scene]) -> Tuple[str, List[bytes]]:
        scene = source if isinstance(source, Scene) else _opened(source, options).scene()
        return scene._cross()

    found = json.loads(_native.diff_scenes(cross(a), cross(b), tolerance))
    return Diff(tuple(made_of(Difference, difference) for difference in found["differences"]))


@overload
def render(
    source: Union[Source, Model, "Scene"], *, output: Literal["array"] = "array", **options: Any
) -> "npt.NDArray[np.uint8]": ...
@overload
def render(source: Union[Source, Model, "Scene"], *, output: Literal["png"], **options: Any) -> bytes: ...
def render(source: Union[Source, Model, "Scene"], *, output: str = "array", **options: Any) -> Any:
    """A picture of a model without a GPU: rows, columns, red green blue alpha, or a PNG file.

    >>> import menagerie
    >>> menagerie.render(sample, size="64x48").shape
    (48, 64, 4)
    """
    model = _opened(source, _split(options)[0])
    return model.render(output=output, **options)  # type: ignore[call-overload]


def formats() -> List[Dict[str, Any]]:
    """The formats and what each can hold, as ``formats --json`` has them.

    >>> import menagerie
    >>> [format["id"] for format in menagerie.formats()]
    ['bogle', 'bmd', 'dgl2', 'bo3d', 'das2', 'gltf', 'ply', 'stl', 'obj']
    """
    known: List[Dict[str, Any]] = json.loads(_answer(*_native.run_program(["formats", "--json"]), fine=(0,)))
    return known


def explain(code: str) -> Dict[str, str]:
    """What a code of an issue, a loss or a difference means, why it matters, and what to do.

    >>> import menagerie
    >>> menagerie.explain("file/truncated")["title"]
    'the file ends in the middle of a field'
    """
    text: Dict[str, str] = json.loads(_answer(*_native.run_program(["explain", "--json", "--", code]), fine=(0,)))
    return text
