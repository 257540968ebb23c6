"""Writes tables: quantities of assets with unit and shape, writers, what simulators read."""

from __future__ import annotations

import inspect
from pathlib import Path

from docstrings import alias_texts
from pages import table, write
from sphinx.pycode import ModuleAnalyzer

from usdsim import assets, sensors
from usdsim.converters.targets.table import DIALECTS, FIXED, reads
from usdsim.views.binding import WRITERS
from usdsim.views.fields.table import FIELDS, FieldSpec

DATA = (
    assets.ArticulationData,
    assets.MultirotorData,
    assets.RigidObjectData,
    assets.RigidObjectCollectionData,
    assets.DeformableObjectData,
    sensors.CameraData,
    sensors.ContactSensorData,
    sensors.FrameTransformerData,
    sensors.ImuData,
    sensors.JointWrenchSensorData,
    sensors.RayCasterData,
)
"""Classes whose attributes are quantities; each lists what those before it do not have."""

ASSETS = (
    assets.Articulation,
    assets.Multirotor,
    assets.RigidObject,
    assets.RigidObjectCollection,
    assets.DeformableObject,
)
"""Classes that are written to."""


def _documented(data_class: type) -> dict[str, str]:
    """Text of every public attribute and property, those of bases included."""
    found: dict[str, str] = {}
    for base in reversed(data_class.__mro__):
        if not base.__module__.startswith("usdsim"):
            continue
        comments = ModuleAnalyzer.for_module(base.__module__).find_attr_docs()
        for (owner, name), lines in comments.items():
            if owner == base.__name__ and not name.startswith("_"):
                found[name] = " ".join(lines)
        for name, value in vars(base).items():
            if isinstance(value, property) and not name.startswith("_") and value.__doc__:
                found[name] = value.__doc__.partition("Raises:")[0]
    return found | alias_texts(data_class)


def _quantities() -> str:
    parts = [
        "# Quantities\n",
        "What `data` of assets and sensors says. `_w` is in world axes, `_b` in those of the root\n"
        "link, or of the body where a text says so. All arrays are Warp arrays.\n",
    ]
    listed: dict[str, str] = {}
    for data_class in DATA:
        names = _documented(data_class)
        new = {n: doc for n, doc in sorted(names.items()) if listed.get(n) != doc}
        listed.update(new)
        parts.append(f"## {data_class.__name__}\n")
        if len(new) < len(names):
            known = "`, `".join(base.__name__ for base in DATA[: DATA.index(data_class)])
            parts.append(
                f"{len(names)} quantities; those not listed are the same as in `{known}`.\n"
            )
        rows = [(f"`{name}`", doc.replace("`", "")) for name, doc in new.items()]
        parts.append(table(("name", "quantity, frame, [unit], shape"), rows))
    return "\n".join(parts)


def _writers() -> str:
    owners: dict[str, dict[str, set[str]]] = {}
    for writer in WRITERS:
        owners.setdefault(writer.row.name, {}).setdefault(writer.method, set()).add(writer.owner)
    rows = [_writer_row(FIELDS[row], names) for row, names in owners.items()]
    header = ("method", "keyword", "unit", "shape", "elements by", "what")
    known = {name for names in owners.values() for name in names}
    return (
        "# Writers\n\n"
        "What can be written to assets. Every method comes in three forms: as listed, with\n"
        "`_index`, and with `_mask`; see [](../concepts/views.md).\n\n"
        + table(header, rows)
        + "\n## Other writers\n\n"
        + table(("method", "of", "what"), _others(known))
    )


def _others(known: set[str]) -> list[tuple[str, str, str]]:
    """Methods that write several rows at once, or something else than a row."""
    found: dict[str, tuple[list[str], str]] = {}
    for asset in ASSETS:
        for name in sorted(dir(asset)):
            base = name.removesuffix("_index").removesuffix("_mask")
            if not name.startswith(("write_", "set_")) or base in known:
                continue
            text = inspect.getdoc(getattr(asset, name)) or ""
            found.setdefault(base, ([], text.partition("\n\n")[0]))[0].append(asset.__name__)
    return [
        (f"`{name}`", ", ".join(f"`{o}`" for o in dict.fromkeys(owners)), text.replace("`", ""))
        for name, (owners, text) in sorted(found.items())
    ]


def _writer_row(spec: FieldSpec, names: dict[str, set[str]]) -> tuple[str, ...]:
    methods = ", ".join(f"`{name}`" for name in names)
    ids = f"`{spec.axis.ids}`" if spec.axis.ids else ""
    return methods, f"`{spec.arg}`", spec.unit, f"`{spec.shape}`", ids, spec.doc


def _targets() -> str:
    """What each simulator reads, a row per quantity."""
    simulators = DIALECTS["all"]
    tables = {name: reads(name) for name in simulators}
    rows = []
    for spec in dict.fromkeys(spec for found in tables.values() for spec in found):
        kind, quantity = spec.split(".")
        cells = []
        for name in simulators:
            cell = "<br>".join(f"`{row.usd}`" for row in tables[name].get(spec, ()))
            fixed = FIXED.get(name, {}).get(spec)
            cells.append(cell + ("" if fixed is None else f"<br>else {fixed:g}"))
        rows.append((kind, quantity.replace("_", " "), *cells))
    return "\n".join(
        [
            "# What each simulator reads\n",
            "Attributes that state one quantity, beside the standard ones, which all read.\n"
            "`target` of a conversion authors those of a simulator ([](../howto/targets.md)).\n"
            "*Else* is the value where the source has none.\n",
            table(("of", "quantity", *simulators), rows),
        ]
    )


def write_tables(folder: Path) -> None:
    """Write ``quantities.md``, ``writers.md`` and ``targets.md`` into `folder`."""
    pages = {"quantities.md": _quantities(), "writers.md": _writers(), "targets.md": _targets()}
    write(folder, pages)
