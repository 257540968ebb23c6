"""Writes a page per schema plugin, from the tables its definitions are generated from."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from pages import table, write

ROOT = Path(__file__).resolve().parent.parent
_KINDS = {
    "singleApplyAPI": "applied schema",
    "multipleApplyAPI": "applied schema, several times",
    "concreteTyped": "prim type",
}


def _definitions() -> ModuleType:
    """The generator of the schemas, whose ``PLUGINS`` are the tables."""
    spec = importlib.util.spec_from_file_location("schema_tables", ROOT / "schemas" / "generate.py")
    if spec is None or spec.loader is None:
        raise ImportError("schemas/generate.py is missing")
    module = importlib.util.module_from_spec(spec)
    sys.modules["schema_tables"] = module
    spec.loader.exec_module(module)
    return module


def _schema(schema, generator: ModuleType) -> str:
    prefix = f"{schema.prefix}:" if schema.prefix else ""
    parts = [f"## {schema.name}\n", f"{_KINDS[schema.kind].capitalize()}. {schema.doc}\n"]
    notes = []
    if schema.builtins:
        notes.append(f"Applied together with {', '.join(schema.builtins)}.")
    if schema.only_on:
        notes.append(f"Only on {', '.join(schema.only_on)}.")
    if notes:
        parts.append(" ".join(notes) + "\n")
    rows = []
    for attr in schema.attributes:
        fallback = "" if attr.type == "rel" else _fallback(attr, generator)
        allowed = ", ".join(attr.tokens) or attr.range
        rows.append(
            (f"`{prefix}{attr.name}`", attr.type, fallback, allowed, attr.unit, attr.doc or "")
        )
    if rows:
        header = ("attribute", "type", "fallback", "allowed", "unit", "what")
        parts.append(table(header, rows))
    return "\n".join(parts)


def _fallback(attr, generator: ModuleType) -> str:
    return "" if attr.fallback is None else f"`{generator.literal(attr.fallback, attr.type)}`"


def write_schemas(folder: Path) -> None:
    """Write ``index.md`` and a page per plugin into `folder`."""
    generator = _definitions()
    pages = {}
    for plugin in generator.PLUGINS:
        schemas = "\n".join(_schema(schema, generator) for schema in plugin.schemas)
        pages[f"{plugin.name}.md"] = f"# {plugin.name}\n\n{plugin.doc}\n\n{schemas}"
    listed = "\n".join(plugin.name for plugin in generator.PLUGINS)
    pages["index.md"] = (
        "# Schemas\n\nAttributes that usdsim defines for USD, besides UsdPhysics and Newton's\n"
        "schemas. No library has to be installed to author or read them.\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"
    )
    write(folder, pages, "*.md")
