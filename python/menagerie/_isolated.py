"""Work on files of strangers, each in a process that may be killed: a file that crashes or takes too long costs that file alone.

A child process reads jobs as lines of JSON and answers each with one. It is killed when a job takes too long, and started
again for the next one. When somebody else kills it, the job is tried once more: only a file that does it twice is to blame.
"""

from __future__ import annotations

import hashlib
import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, Optional

#: So much of a reason is kept.
_LONGEST = 300


class Isolated:
    """A child process that does jobs."""

    def __init__(self) -> None:
        self._child: Optional[subprocess.Popen[bytes]] = None

    def run(self, job: Dict[str, Any], timeout: float) -> Dict[str, Any]:
        """The row of one job, whatever happens to the child."""
        for _ in range(2):
            began = time.perf_counter()
            answer = self._ask(job, timeout)
            if answer is not None:
                return {**answer, "seconds": time.perf_counter() - began}
            if time.perf_counter() - began >= timeout:
                return _row(job, "timeout", f"it took longer than {timeout:g} seconds")
        return _row(job, "crashed", "the process that read it ended twice")

    def _ask(self, job: Dict[str, Any], timeout: float) -> Optional[Dict[str, Any]]:
        child = self._started()
        assert child.stdin is not None and child.stdout is not None
        try:
            child.stdin.write(json.dumps(job).encode() + b"\n")
            child.stdin.flush()
            line = _line(child, time.perf_counter() + timeout)
        except OSError:
            line = None
        if line is None:
            self.close()
            return None
        answer: Dict[str, Any] = json.loads(line)
        return answer

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._child is None or self._child.poll() is not None:
            command = [sys.executable, "-m", "menagerie._isolated"]
            self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        return self._child

    def close(self) -> None:
        """Ends the child."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    pipe.close()


def _line(child: "subprocess.Popen[bytes]", deadline: float) -> Optional[bytes]:
    """The next line, or nothing when the child ends or the time is up."""
    assert child.stdout is not None
    parts: List[bytes] = []
    while True:
        left = deadline - time.perf_counter()
        if left <= 0 or not select.select([child.stdout], [], [], left)[0]:
            return None
        part = os.read(child.stdout.fileno(), 1 << 16)
        if not part:
            return None
        parts.append(part)
        if part.endswith(b"\n"):
            return b"".join(parts)


def _row(job: Dict[str, Any], status: str, error: Optional[str] = None, **known: Any) -> Dict[str, Any]:
    """A row of the manifest."""
    row: Dict[str, Any] = {
        "index": job["index"],
        "file": job["name"],
        "status": status,
        "error": None if error is None else error[:_LONGEST],
        "error_code": None,
        "format": None,
        "bytes": None,
        "input_sha256": None,
        "vertices": None,
        "triangles": None,
        "animations": None,
        "valid": None,
        "issues": "[]",
        "losses": "[]",
        "lossless": None,
        "output": None,
        "output_bytes": None,
        "sha256": None,
        "thumbnail_sha256": None,
        "seconds": 0.0,
    }
    row.update(known)
    return row


def do(job: Dict[str, Any]) -> Dict[str, Any]:
    """Validates, converts and draws one file."""
    import menagerie

    known: Dict[str, Any] = {}
    try:
        content = Path(job["path"]).read_bytes()
        known.update(bytes=len(content), input_sha256=_hash(content))
        report = menagerie.validate(job["path"])
        known.update(format=report.format, valid=report.valid, issues=_codes(report.issues))
        model = menagerie.open(content, name=job["path"], **job["reading"])
        geometry = model.summary["geometry"]
        known.update(vertices=geometry["vertices"], triangles=geometry["triangles"])
        if job["to"] is not None:
            converted = model.convert(job["to"], stem=Path(job["output"]).stem, **job["options"])
            known.update(losses=_losses(converted.losses), lossless=converted.lossless)
            Path(job["output"]).parent.mkdir(parents=True, exist_ok=True)
            converted.save(job["output"])
            known.update(output=job["output_name"], output_bytes=len(converted.bytes), sha256=_hash(converted.bytes))
        if job["thumbnail"] is not None:
            png = model.render(output="png", size=f"{job['size']}x{job['size']}")
            Path(job["thumbnail"]).parent.mkdir(parents=True, exist_ok=True)
            Path(job["thumbnail"]).write_bytes(png)
            known["thumbnail_sha256"] = _hash(png)
        known["animations"] = len(model.scene().animations)
    except menagerie.MenagerieError as error:
        return _row(job, "failed", str(error), error_code=error.code, **known)
    except OSError as error:
        return _row(job, "failed", f"{type(error).__name__}: {error.strerror}", **known)
    return _row(job, "done", None, **known)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _codes(issues: Any) -> str:
    counts: Dict[str, int] = {}
    for issue in issues:
        counts[issue.code] = counts.get(issue.code, 0) + 1
    return json.dumps([{"code": code, "count": count} for code, count in sorted(counts.items())])


def _losses(losses: Any) -> str:
    kept = ("code", "kind", "count", "max_error", "unit")
    return json.dumps([{name: getattr(loss, name) for name in kept} for loss in losses])


def main() -> None:
    """Answers jobs until there are no more."""
    # Whatever else prints must not be taken for an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin.buffer:
        answers.write(json.dumps(do(json.loads(line))).encode() + b"\n")


if __name__ == "__main__":
    main()
