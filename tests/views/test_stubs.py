"""Stub files in the repository are those that follow from tables and parts."""

from __future__ import annotations

import importlib
from pathlib import Path

import usdsim
from usdsim.core.facade import parts_of, public_members
from usdsim.views.forms import forms_of
from usdsim.views.stubs import stub_text

PACKAGE = Path(str(usdsim.__file__)).parent


def _written(part: type) -> set[str]:
    """Members that type checkers find in the source of a part, which is a base in the stub."""
    made = {form.function.__name__ for form in forms_of(part)}
    return {name for name, _ in public_members(part)} - made


def test_stub_files_are_up_to_date():
    paths = sorted(PACKAGE.rglob("*.pyi"))
    assert len(paths) > 1
    for path in paths:
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        module = importlib.import_module(name)
        text = stub_text(module)
        remedy = f"Run python -m usdsim.views.stubs {name}"
        assert path.read_text(encoding="utf-8") == text, remedy


def test_stubs_have_all_public_members():
    for path in PACKAGE.rglob("*.pyi"):
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        module, text = importlib.import_module(name), path.read_text(encoding="utf-8")
        for owner in module.__all__:
            kind = getattr(module, owner)
            parts = parts_of(kind).values()
            written = {name for part in parts for name in _written(part)}
            for member in {name for name in vars(kind) if not name.startswith("_")} - written:
                said = f"def {member}(" in text or f"    {member}: " in text
                assert said, f"{owner}.{member}"
            bases = [base for base in kind.__bases__ if base is not object]
            listed = ", ".join(base.__name__ for base in (*bases, *parts))
            assert f"class {owner}({listed}):" in text or not listed, owner
