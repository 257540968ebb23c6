"""Height field assets."""

from __future__ import annotations

from usdsim.core.dialects.mjc_tables import TYPES

from .context import Context
from .rows import write_rows

__all__ = ["convert_hfields"]


def convert_hfields(context: Context) -> None:
    """Define every height field asset in the library."""
    model = context.model
    for index, field in enumerate(context.elements("hfield")):
        path = context.paths["hfield"][index]
        context.stage.DefinePrim(path, TYPES["hfield"])
        context.keep_name(path, field.name)
        write_rows(context, path, "hfield", index, skip=("userdata",))
        start = int(model.hfield_adr[index])
        count = int(model.hfield_nrow[index] * model.hfield_ncol[index])
        context.set(path, "mjc:elevation", "float[]", model.hfield_data[start : start + count])
