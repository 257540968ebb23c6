"""Writes the page of errors and findings by code, from the calls in the code that make them."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from pages import table, write

from usdsim.core import errors
from usdsim.math.repair import REPAIRS
from usdsim.schemas.validation import validation_rules

__all__ = ["made_in", "write_findings"]

ROOT = Path(__file__).resolve().parent.parent / "usdsim"
PARTS = {
    "Reading a stage": ("parser", "scene"),
    "Converting to USD": ("converters",),
    "Writing MJCF and URDF": ("exporters",),
}
"""Packages whose findings a table has."""
SEVERITIES = {"error": "error", "warning": "warning", "warn": "warning", "repaired": "warning",
              "info": "note"}  # fmt: skip
"""Severity by the method that makes a finding."""
FIXED = {"unsupported": "is authored but has no effect",
         "conflict": "two authored properties disagree about one quantity"}  # fmt: skip
"""Text of the methods that are a code of their own."""

UNSAID = {
    "ellipsoid": "a mesh for all but Drake and usdsim",
    "engine": "the engine does this otherwise than the file says",
    "inertia-from-shapes": "a mass without moments of inertia; those of its shapes are taken",
    "invalid-deformable": "points or elements of a deformable body that cannot be simulated",
    "limit-zero": "an effort or velocity limit of 0; taken as none unless `zero_limits='keep'`",
    "model-differs": "something is otherwise in the written file, read again",
    "shape": "a shape that a link cannot have; left out",
    "starts-overlapping": "colliders that start inside each other",
}
"""Text of findings whose messages are made elsewhere."""
_CODE = re.compile(r"[a-z]+(-[a-z]+)*")


def made_in(package: str) -> Iterator[tuple[str, str, str]]:
    """Code, severity and text of every finding that modules of a package make."""
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            method = node.func.attr
            if method in FIXED:
                yield method, "warning", FIXED[method]
            elif method in SEVERITIES and len(node.args) > 2:
                code = node.args[0]
                if isinstance(code, ast.Constant) and _CODE.fullmatch(str(code.value)):
                    yield code.value, SEVERITIES[method], _text(node.args[2])


def _text(node: ast.expr) -> str:
    """A message with dots for what is filled in; empty if it is made elsewhere."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values
        )
    return ""


def _rows(packages: tuple[str, ...]) -> list[tuple[str, str, str]]:
    severities, texts = defaultdict(set), defaultdict(dict)
    for package in packages:
        for code, severity, text in made_in(package):
            severities[code].add(severity)
            texts[code][text] = None
    rows = []
    for code in sorted(texts):
        said = [REPAIRS[code]] if code in REPAIRS else list(filter(None, texts[code]))
        said = said or [UNSAID.get(code, "what is wrong with the case")]
        rows.append((f"`{code}`", ", ".join(sorted(severities[code])), " / ".join(said[:3])))
    return rows


def _errors() -> str:
    rows = []
    for name in errors.__all__:
        cls = getattr(errors, name)
        if isinstance(cls, type) and issubclass(cls, errors.UsdsimError):
            built_in = [base for base in cls.__mro__ if base.__module__ == "builtins"]
            last = [
                b for b in built_in if not any(c is not b and issubclass(c, b) for c in built_in)
            ]
            headline = (cls.__doc__ or "").partition("\n")[0]
            rows.append((f"`{name}`", ", ".join(f"`{b.__name__}`" for b in last), headline))
    return table(("exception", "is also", "raised when"), rows)


def write_findings(folder: Path) -> None:
    """Write ``findings.txt`` and ``errors.txt`` into `folder`."""
    head = ("code", "severity", "what it says")
    parts = [f"## {title}\n\n{table(head, _rows(of))}" for title, of in PARTS.items()]
    rules = [(f"`{rule.code}`", rule.severity.replace("info", "note"), rule.doc)
             for rule in validation_rules()]  # fmt: skip
    parts.append(f"## Validation\n\nOf `usdsim validate`.\n\n{table(head, rules)}")
    write(folder, {"findings.txt": "\n".join(parts), "errors.txt": _errors()})
