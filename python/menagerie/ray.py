"""Any number of files on a cluster, with Ray Data.

``menagerie.ray.convert(paths, "out", to="glb")`` validates, converts and draws every file, and writes a manifest with one
row for each. A run that was stopped goes on where it stopped when it is started again; a worker that is killed costs
nothing, since its files are done again; a file that crashes or takes too long costs that file alone. The manifest does not
depend on the number of workers: :func:`manifest_hash` of it is the same for the same files, options and version.

See ``docs/cluster.md``.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple, Union

from ._isolated import Isolated
from ._model import _split, formats

PathLike = Union[str, "os.PathLike[str]"]

__all__ = ["Summary", "convert", "manifest_hash", "read_manifest"]

#: Columns that say how it went and not what came of it.
_BY_CHANCE = ("seconds",)


@dataclass(frozen=True)
class Summary:
    """What became of a run."""

    manifest: Path
    files: int
    #: How many rows were there before from a run that was stopped.
    resumed: int
    #: How many rows of each status: ``done``, ``failed``, ``timeout``, ``crashed``.
    statuses: Dict[str, int]
    #: See :func:`manifest_hash`.
    hash: str


def convert(
    paths: Union[PathLike, Iterable[PathLike]],
    out: PathLike,
    *,
    to: Optional[str] = "glb",
    thumbnails: Optional[int] = None,
    timeout: float = 60.0,
    files_per_task: int = 64,
    concurrency: Optional[int] = None,
    **options: Any,
) -> Summary:
    """Validates every file, converts it to ``out/files`` unless ``to`` is none, and draws it to ``out/thumbnails`` if
    ``thumbnails`` says how large; the manifest is ``out/manifest.parquet``.

    ``paths`` is a folder, a pattern, a text file with one path a line (``@list.txt``), or any iterable. ``options`` are
    those of ``menagerie convert``. ``out`` must be a folder that all workers see. Results are called after the whole name
    of their source, so that ``fox.bmd`` and ``fox.bo3d`` do not meet. ``concurrency`` limits the workers.
    """
    import ray.data

    names, root = _listed(paths)
    place = Place(Path(out).absolute(), root.absolute(), to, thumbnails, timeout, options)
    place.begin(names)
    done = place.done()
    tasks = [
        {"indices": part, "names": [names[i] for i in part]}
        for part in _parts([i for i in range(len(names)) if i not in done], files_per_task)
    ]
    if tasks:
        dataset = ray.data.from_items(tasks, override_num_blocks=len(tasks))
        # Each task leaves its rows on the disk, whole or not at all; what flows through Ray is only their number.
        compute = None if concurrency is None else ray.data.TaskPoolStrategy(size=concurrency)
        dataset.map(_Task(place), num_cpus=1, compute=compute).materialize()
    return place.join(len(names), len(done))


@dataclass(frozen=True)
class Place:
    """Where a run keeps what it does."""

    out: Path
    root: Path
    to: Optional[str]
    thumbnails: Optional[int]
    timeout: float
    options: Dict[str, Any]

    @property
    def parts(self) -> Path:
        return self.out / "manifest.parts"

    def begin(self, names: Sequence[str]) -> None:
        """Makes the folders. Parts of a run over other files or with other options are not taken for this one's."""
        from importlib.metadata import version

        asked = [version("menagerie"), self.to, self.thumbnails, sorted(self.options.items(), key=str), list(names)]
        key = hashlib.sha256(json.dumps(asked, default=str).encode()).hexdigest()
        self.parts.mkdir(parents=True, exist_ok=True)
        stamp = self.parts / "run.txt"
        if not stamp.is_file() or stamp.read_text() != key:
            for old in self.parts.glob("*.parquet"):
                old.unlink()
            stamp.write_text(key)

    def done(self) -> Set[int]:
        """The files whose rows are there already."""
        import pyarrow.parquet

        found: Set[int] = set()
        for part in self.parts.glob("*.parquet"):
            found.update(pyarrow.parquet.read_table(part, columns=["index"])["index"].to_pylist())
        return found

    def job(self, index: int, name: str) -> Dict[str, Any]:
        """What the child process is told about a file."""
        reading, _ = _split(self.options)
        extension = self.to and _extension(self.to)
        result = f"{name}.{extension}"
        return {
            "index": index,
            "name": name,
            "path": str(self.root / name),
            "to": extension,
            "options": self.options,
            "reading": reading,
            "output": str(self.out / "files" / result),
            "output_name": result,
            "thumbnail": str(self.out / "thumbnails" / f"{name}.png") if self.thumbnails else None,
            "size": self.thumbnails,
        }

    def write(self, rows: List[Dict[str, Any]]) -> None:
        """Keeps rows in a file that is whole or not there."""
        import pyarrow
        import pyarrow.parquet

        name = f"{rows[0]['index']:012}-{rows[-1]['index']:012}"
        unfinished = self.parts / f"{name}.{os.getpid()}.tmp"
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema()), unfinished)
        os.replace(unfinished, self.parts / f"{name}.parquet")

    def join(self, files: int, resumed: int) -> Summary:
        """Makes one manifest of all parts, in the order of the files."""
        import pyarrow
        import pyarrow.parquet

        tables = [pyarrow.parquet.read_table(part) for part in sorted(self.parts.glob("*.parquet"))]
        table = pyarrow.concat_tables(tables) if tables else schema().empty_table()
        table = table.sort_by("index")
        # A task that was done twice has left its rows twice, and they say the same.
        indices = table["index"].to_pylist()
        first = [i for i, index in enumerate(indices) if i == 0 or indices[i - 1] != index]
        table = table.take(first)
        if len(table) != files:
            raise RuntimeError(f"{files - len(table)} of {files} files have no row; start the run again")
        manifest = self.out / "manifest.parquet"
        unfinished = manifest.with_suffix(".tmp")
        pyarrow.parquet.write_table(table, unfinished)
        os.replace(unfinished, manifest)
        statuses: Dict[str, int] = {}
        for status in table["status"].to_pylist():
            statuses[status] = statuses.get(status, 0) + 1
        return Summary(manifest, files, resumed, statuses, manifest_hash(manifest))


class _Task:
    """What a worker does with the files of one task."""

    #: The child process of this worker.
    child: Optional[Isolated] = None

    def __init__(self, place: Place) -> None:
        self.place = place

    def __call__(self, task: Dict[str, Any]) -> Dict[str, Any]:
        if _Task.child is None:
            _Task.child = Isolated()
        jobs = (self.place.job(int(i), str(name)) for i, name in zip(task["indices"], task["names"]))
        rows = [_Task.child.run(job, self.place.timeout) for job in jobs]
        self.place.write(rows)
        return {"rows": len(rows)}


def schema() -> Any:
    """The columns of the manifest."""
    import pyarrow

    texts = ["file", "status", "error", "error_code", "format", "input_sha256", "issues", "losses", "output"]
    texts += ["sha256", "thumbnail_sha256"]
    numbers = ("index", "bytes", "vertices", "triangles", "animations", "output_bytes")
    kinds: Dict[str, Any] = {name: pyarrow.string() for name in texts}
    kinds.update({name: pyarrow.int64() for name in numbers})
    kinds.update(valid=pyarrow.bool_(), lossless=pyarrow.bool_(), seconds=pyarrow.float64())
    return pyarrow.schema(sorted(kinds.items()))


def read_manifest(manifest: PathLike) -> List[Dict[str, Any]]:
    """The rows of a manifest."""
    import pyarrow.parquet

    rows: List[Dict[str, Any]] = pyarrow.parquet.read_table(manifest).to_pylist()
    return rows


def manifest_hash(manifest: PathLike) -> str:
    """The SHA-256 of all that a manifest says about files and results; how long each took is left out."""
    digest = hashlib.sha256()
    for row in read_manifest(manifest):
        kept = {name: value for name, value in row.items() if name not in _BY_CHANCE}
        digest.update(json.dumps(kept, sort_keys=True).encode() + b"\n")
    return digest.hexdigest()


def _extension(to: str) -> str:
    """The extension of a format that is named by its id or an extension."""
    for known in formats():
        if to.lower() in known["extensions"]:
            return to.lower()
        if to.lower() == known["id"]:
            return str(known["extensions"][0])
    raise ValueError(f"there is no format {to}")


def _parts(indices: List[int], size: int) -> Iterator[List[int]]:
    """Tasks whose files do not depend on what is done already, so that their parts keep their names."""
    part: List[int] = []
    for index in indices:
        if part and index // size != part[0] // size:
            yield part
            part = []
        part.append(index)
    if part:
        yield part


def _listed(paths: Union[PathLike, Iterable[PathLike]]) -> Tuple[List[str], Path]:
    """The names of all files below a common folder, in order, and that folder."""
    if isinstance(paths, (str, os.PathLike)):
        found = _found(os.fspath(paths))
    else:
        found = [os.fspath(path) for path in paths]
    if not found:
        return [], Path(".")
    absolute = [os.path.abspath(path) for path in found]
    folders = {os.path.dirname(path) for path in absolute}
    root = os.path.commonpath(folders)
    return [os.path.relpath(path, root) for path in absolute], Path(root)


def _found(text: str) -> List[str]:
    if text.startswith("@"):
        return [line for line in Path(text[1:]).read_text().splitlines() if line.strip()]
    if os.path.isdir(text):
        known = {extension for format in formats() for extension in format["extensions"]}
        walked = (os.path.join(folder, name) for folder, _, names in os.walk(text) for name in names)
        return sorted(path for path in walked if path.rsplit(".", 1)[-1].lower() in known)
    return sorted(glob.glob(text, recursive=True))
