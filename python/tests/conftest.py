"""What all tests share: sample files in every format, the corpus, and the program that the package is compared with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, List

import pytest

import menagerie

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "crates/menagerie/tests/corpus"
#: Files of others, which are not part of the project.
SHARED = ROOT.parent / "shared/corpus"
EXTENSIONS = [extension for known in menagerie.formats() for extension in known["extensions"]]
PROGRAM = os.environ.get("MENAGERIE_PROGRAM")


def models(folder: Path) -> List[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix.lstrip(".") in EXTENSIONS)


def pytest_report_header() -> List[str]:
    real = SHARED / "real"
    return [] if real.is_dir() else [f"SKIPPED {real}: the files of other authors are not there"]


@pytest.fixture(scope="session")
def program() -> Any:
    """Runs the program itself, apart from the package."""
    if PROGRAM is None:
        pytest.skip("MENAGERIE_PROGRAM does not name the program")

    def run(*arguments: Any) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, check=False)

    return run


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    subprocess.run([sys.executable, "-m", "menagerie", "sample", folder], check=True, capture_output=True)
    return folder


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """``model`` is each good file of the corpora, ``bad`` each broken one."""
    lists = {
        "model": [*models(CORPUS / "made"), *models(SHARED / "real")],
        "bad": [*models(CORPUS / "bad"), *models(CORPUS / "attack")],
    }
    for name, files in lists.items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, files, ids=[f"{path.parent.name}/{path.name}" for path in files])
