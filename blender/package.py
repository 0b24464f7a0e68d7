"""Puts the extension and the wheel into one zip that Blender installs.

    python package.py WHEEL OUT.zip
"""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "menagerie_io"
#: The platforms that Blender knows, by the end of a wheel's name.
PLATFORMS = {
    "linux_x86_64": "linux-x64",
    "linux_aarch64": "linux-arm64",
    "win_amd64": "windows-x64",
    "win_arm64": "windows-arm64",
    "macosx_x86_64": "macos-x64",
    "macosx_arm64": "macos-arm64",
}


def platform(wheel: Path) -> str:
    tag = wheel.stem.split("-")[-1]
    for known, name in PLATFORMS.items():
        system, machine = known.split("_", 1)
        if system in tag and tag.endswith(machine):
            return name
    raise SystemExit(f"{wheel.name} is for no platform that Blender knows")


def manifest(wheel: Path) -> str:
    """The manifest with the wheel, its version and its platform."""
    text = (SOURCES / "blender_manifest.toml").read_text()
    text = text.replace("wheels = []", f'wheels = ["./wheels/{wheel.name}"]')
    text = text.replace("platforms = []", f'platforms = ["{platform(wheel)}"]')
    version = wheel.name.split("-")[1]
    return re.sub(r'^version = ".*"$', f'version = "{version}"', text, flags=re.MULTILINE)


def add(package: zipfile.ZipFile, name: str, content: bytes) -> None:
    # The same sources give the same zip, whenever it is made.
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.external_attr = 0o644 << 16
    package.writestr(entry, content, zipfile.ZIP_DEFLATED)


def main() -> None:
    wheel, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w") as package:
        add(package, "blender_manifest.toml", manifest(wheel).encode())
        for source in sorted(SOURCES.glob("*.py")):
            add(package, source.name, source.read_bytes())
        add(package, f"wheels/{wheel.name}", wheel.read_bytes())
    print(out)


if __name__ == "__main__":
    main()
