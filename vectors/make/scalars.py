"""Writes vectors/scalars again: python3 vectors/make/scalars.py

The numbers are worked out here by the formulas of docs/formats, without any code of the library. All are exact: each is
a fraction of a power of two, and JSON's shortest decimals give it back.
"""

import json
import math
import pathlib
import struct

from das2 import hash64


def f8a(code):
    if code & 0x7F == 0:
        return 0.0
    value = (16 + (code & 15)) * 2.0 ** ((code >> 4 & 7) - 11)
    return -value if code & 0x80 else value


def signed(bits, width):
    return bits - (1 << width) if bits >> width - 1 else bits


def se32(word):
    step = 2.0 ** ((word >> 27) - 22)
    return [signed(word >> shift & 0x1FF, 9) * step for shift in (0, 9, 18)]


def st11(word):
    return [((word >> shift & 0x7FF) / 1024 - 0.5) * 4.0 ** (word >> 22 & 3) for shift in (0, 11)]


def st12(word):
    return [(word >> shift & 0xFFF) / 2048 - 0.5 for shift in (0, 12)]


def st14(word):
    return [((word >> shift & 0x3FFF) / 4096 - 2) * 2.0 ** (word >> 28) for shift in (0, 14)]


def legacy(word):
    return [signed(word >> shift & 0xFFFF, 16) / 4096 for shift in (0, 16)]


def half(bits):
    value = struct.unpack("<e", struct.pack("<H", bits))[0]
    if math.isnan(value):
        return "NaN"
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def spread(width, count=64):
    """Words of all kinds: the ends, single bits, and a walk over the rest that is the same everywhere."""
    top = (1 << width) - 1
    words = {0, top, top >> 1, (top >> 1) + 1} | {1 << bit for bit in range(width)}
    state = 1
    while len(words) < count + width:
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        words.add(state >> 64 - width)
    return sorted(words)


HALVES = sorted({sign | exponent << 10 | fraction for sign in (0, 0x8000) for exponent in range(32) for fraction in (0, 1, 0x155, 0x200, 0x3FF)})
STRINGS = ["", "123456789", "Cube", "root", "root\0more", "a", "Mesh.001", "Größe", "\u96ea", "x" * 255]


def tables():
    word = lambda bits, width: f"{bits:0{width // 4}x}"
    yield "f8a", "a byte, 0 to 255, is this number", [[code, f8a(code)] for code in range(256)]
    yield "se32", "a word in hexadecimal is these x, y and z", [[word(w, 32), se32(w)] for w in spread(32)]
    yield "st11", "24 bits in hexadecimal are these s and t: 64-bit vertices, and 96-bit ones tagged F9 or FB", [[word(w, 24), st11(w)] for w in spread(24)]
    yield "st12", "24 bits in hexadecimal are these s and t: 96-bit vertices tagged F8 or FA", [[word(w, 24), st12(w)] for w in spread(24)]
    yield "st14", "a word in hexadecimal is these s and t: 128-bit vertices", [[word(w, 32), st14(w)] for w in spread(32)]
    yield "st-legacy", "a word in hexadecimal is these s and t: 128-bit vertices of the oldest files", [[word(w, 32), legacy(w)] for w in spread(32)]
    yield "half", "16 bits in hexadecimal are this number (binary16)", [[word(h, 16), half(h)] for h in HALVES]
    yield "das2-hash", "the bytes of a string in hexadecimal have this hash in libdas2, most significant digit first", [[text.encode().hex(), f"{hash64(text.encode()):016x}"] for text in STRINGS]


def main():
    folder = pathlib.Path(__file__).resolve().parent.parent / "scalars"
    folder.mkdir(exist_ok=True)
    for name, about, rows in tables():
        lines = ",\n  ".join(json.dumps(row) for row in rows)
        text = f'{{"about": {json.dumps(about)},\n "rows": [\n  {lines}\n ]}}\n'
        json.loads(text)
        (folder / f"{name}.json").write_text(text)


if __name__ == "__main__":
    main()
