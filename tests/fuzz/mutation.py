"""Mutations of inputs: of XML as a tree, of USD text line by line, of archives array by array."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections.abc import Callable
from random import Random
from typing import Any
from xml.etree import ElementTree

import numpy as np

__all__ = ["mutate"]

NUMBERS = (
    "0", "-0", "-1", "1", "2", "0.5", "1e-9", "-1e-9", "1e-320", "1e9", "1e30", "1e308", "-1e308",
    "nan", "inf", "-inf", "2147483647", "-2147483648", "4294967296", "1e4", "3.4e38", "0x10",
)  # fmt: skip
WORDS = (
    "", " ", "x", "world", "true", "false", "auto", "none", "..", "/", "../../../../etc/passwd",
    "/dev/zero", "a.obj", "a.png", "\u00e4\u4e16", "a/b", "1a", "a b", "A" * 3000, "%s%n",
    "${1/0}", "package://a/b.stl", "</>", "&#9;", "-", "default", "main", "floating",
)  # fmt: skip
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_USD_TYPES = (
    "bool", "int", "float", "double", "token", "string", "float3", "point3f[]", "int[]", "float[]",
    "quatf", "matrix4d", "asset", "rel", "double3", "token[]", "half", "uint64", "timecode",
)  # fmt: skip
_APIS = (
    "PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI", "PhysicsArticulationRootAPI",
    "PhysicsMeshCollisionAPI", "PhysicsDriveAPI:angular", "PhysicsLimitAPI:rotX",
    "PhysxRigidBodyAPI", "NewtonMimicAPI", "MjcJointAPI", "PhysicsFilteredPairsAPI", "NoSuchAPI",
)  # fmt: skip


def mutate(data: bytes, suffix: str, rng: Random, others: list[bytes]) -> bytes:
    """A damaged or odd version of an input.

    Args:
        data: the input.
        suffix: what kind of file it is.
        rng: decides.
        others: inputs of the same kind, to take parts from.
    """
    if rng.random() < 0.06:
        return _bytes(data, rng)
    change: Callable[[bytes, Random, list[bytes]], bytes] = {
        ".xml": _xml, ".urdf": _xml, ".dae": _xml, ".xacro": _xml, ".usda": _lines, ".obj": _lines,
        ".off": _lines, ".gltf": _json, ".npz": _archive,
    }.get(suffix, lambda plain, random, _: _bytes(plain, random))  # fmt: skip
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        try:
            data = change(data, rng, others)
        except (ElementTree.ParseError, ValueError, KeyError, IndexError, zipfile.BadZipFile):
            return _bytes(data, rng)
    return data


def _value(text: str, rng: Random) -> str:
    """Another value in place of one: a number of it changed, more or fewer of them, or a word."""
    numbers = list(_NUMBER.finditer(text))
    kind = rng.random()
    if numbers and kind < 0.6:
        one = rng.choice(numbers)
        return text[: one.start()] + rng.choice(NUMBERS) + text[one.end() :]
    if numbers and kind < 0.75:
        parts = text.split()
        return " ".join(parts[: rng.randrange(len(parts) + 1)] if kind < 0.68 else parts * 2)
    return rng.choice(WORDS if kind < 0.92 else NUMBERS)


def _xml(data: bytes, rng: Random, others: list[bytes]) -> bytes:
    root = ElementTree.fromstring(data)
    elements = list(root.iter())
    parents = {child: parent for parent in elements for child in parent}
    element, kind = rng.choice(elements), rng.random()
    attributed = [e for e in elements if e.attrib]
    if kind < 0.45 and attributed:
        element = rng.choice(attributed)
        key = rng.choice(sorted(element.attrib))
        element.set(key, _value(element.get(key, ""), rng))
    elif kind < 0.55 and attributed:
        source = rng.choice(attributed)
        key = rng.choice(sorted(source.attrib))
        element.set(key, source.get(key, ""))
    elif kind < 0.62 and attributed:
        element = rng.choice(attributed)
        del element.attrib[rng.choice(sorted(element.attrib))]
    elif kind < 0.72 and element in parents:
        parents[element].remove(element)
    elif kind < 0.80:
        element.append(ElementTree.fromstring(ElementTree.tostring(rng.choice(elements))))
    elif kind < 0.86:
        element.tag = rng.choice(elements).tag
    elif kind < 0.96 and others:
        try:
            donor = list(ElementTree.fromstring(rng.choice(others)).iter())
        except ElementTree.ParseError:
            return data
        element.append(rng.choice(donor))
    else:
        for _ in range(rng.choice((3, 30, 150))):
            element = ElementTree.SubElement(element, element.tag, dict(element.attrib))
    return ElementTree.tostring(root)[:400_000]


def _lines(data: bytes, rng: Random, others: list[bytes]) -> bytes:
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    at, kind = rng.randrange(len(lines)), rng.random()
    if kind < 0.55:
        authored = [i for i, line in enumerate(lines) if "=" in line or line[:1] in "vf"] or [at]
        at = rng.choice(authored)
        head, sign, tail = lines[at].partition("=")
        if not sign:
            lines[at] = _value(lines[at], rng)
        elif kind < 0.12:
            lines[at] = "=".join((re.sub(r"\S+", rng.choice(_USD_TYPES), head, count=1), tail))
        elif kind < 0.2 and "apiSchemas" in head:
            lines[at] = f'{head}= ["{rng.choice(_APIS)}", "{rng.choice(_APIS)}"]'
        elif kind < 0.3:
            targets = re.findall(r"<[^>]*>", "\n".join(lines)) or ["</>"]
            lines[at] = re.sub(r"<[^>]*>", lambda _: rng.choice(targets), lines[at])
        elif kind < 0.35:
            lines[at] = f"{head}= {rng.choice(lines).partition('=')[2]}"
        else:
            lines[at] = f"{head}={_value(tail, rng)}"
    elif kind < 0.7:
        del lines[at]
    elif kind < 0.8:
        lines.insert(rng.randrange(len(lines)), lines[at])
    elif kind < 0.88 and others:
        lines.insert(at, rng.choice(rng.choice(others).decode("utf-8", "ignore").split("\n")))
    else:
        words = re.findall(r"[A-Za-z:]{4,}", "\n".join(lines)) or ["x"]
        lines[at] = re.sub(r"[A-Za-z:]{4,}", lambda _: rng.choice(words), lines[at], count=1)
    return "\n".join(lines).encode("utf-8", "surrogateescape")[:400_000]


def _json(data: bytes, rng: Random, _others: list[bytes]) -> bytes:
    document = json.loads(data)
    places: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        for key in node if isinstance(node, dict) else range(len(node)):
            places.append((node, key))
            if isinstance(node[key], dict | list):
                collect(node[key])

    collect(document)
    node, key = rng.choice(places)
    node[key] = rng.choice(
        (None, -1, 0, 1e308, 2**40, "", [], {}, "../x", True, rng.choice(places)[0])
    )
    try:
        return json.dumps(document).encode()
    except (ValueError, RecursionError):
        return data


def _archive(data: bytes, rng: Random, _others: list[bytes]) -> bytes:
    """NumPy's archive with another array: of another shape or type, with other values, or text."""
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        arrays: dict[str, Any] = dict(file)
    name, kind = rng.choice(sorted(arrays)), rng.random()
    array = arrays[name]
    if array.dtype.kind == "U":
        arrays[name] = np.array(_json(str(array).encode(), rng, []).decode() if kind < 0.7 else "x")
    elif kind < 0.15:
        del arrays[name]
    elif kind < 0.3:
        arrays[name] = array[..., None] if kind < 0.22 else array[:0]
    elif kind < 0.45:
        arrays[name] = array.astype(rng.choice(("f4", "i8", "c16", "?", "U5", "f2")))
    elif kind < 0.85 and array.size:
        flat = array.astype(np.float64).ravel()
        flat[rng.randrange(flat.size)] = rng.choice((np.nan, np.inf, -1.0, 0.0, 1e308, 1e-320))
        arrays[name] = flat.reshape(array.shape)
    else:
        arrays[name] = np.repeat(array, 2, axis=0) if array.ndim else np.zeros((2, 2))
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def _bytes(data: bytes, rng: Random) -> bytes:
    """Bits flipped, parts cut, repeated or overwritten with extreme integers."""
    changed = bytearray(data or b"\0")
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at, kind = rng.randrange(len(changed)), rng.random()
        if kind < 0.5:
            changed[at] ^= 1 << rng.randrange(8)
        elif kind < 0.7:
            changed[at : at + 4] = struct.pack(
                "<I", rng.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1))
            )
        elif kind < 0.8:
            changed[at : at + 8] = struct.pack("<Q", rng.choice((0, 2**40, 2**63, 2**64 - 1)))
        elif kind < 0.9:
            changed[at:at] = changed[at : at + rng.randrange(1, 64)]
        else:
            del changed[at : at + rng.choice((1, 16, 4096))]
        if not changed:
            changed = bytearray(b"\0")
    return bytes(changed)
