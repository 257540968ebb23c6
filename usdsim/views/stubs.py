"""Stub files of writers: what editors, type checkers and readers see of methods made from tables.

``python -m usdsim.views.stubs usdsim.assets.writers`` writes the ``.pyi`` beside a module.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from usdsim.views.binding import WRITERS, Writer

__all__ = ["main", "stub_text"]

_HEAD = '''"""{headline}

Written by ``python -m usdsim.views.stubs {module}``.
"""

from usdsim.assets.common.part import AssetPart
from usdsim.views.selection import Indices, Mask
from usdsim.views.values import Values

__all__ = {names}
'''


def stub_text(module: ModuleType) -> str:
    """Text of the stub file of a module whose classes get their methods by `writers`.

    Args:
        module: the module, in which all classes listed in ``__all__`` are such.
    """
    headline = (inspect.getdoc(module) or "").partition("\n")[0]
    names = "[\n" + "".join(f'    "{name}",\n' for name in module.__all__) + "]"
    parts = [_HEAD.format(headline=headline, module=module.__name__, names=names)]
    for name in module.__all__:
        owner = getattr(module, name)
        bases = ", ".join(base.__name__ for base in owner.__bases__)
        parts.append(f"class {name}({bases}):\n{_quoted(inspect.getdoc(owner) or '', 1)}")
        parts += [_method(writer) for writer in WRITERS if writer.owner == name]
    return "\n".join(parts)


def _method(writer: Writer) -> str:
    text = f"{writer.says}\n\nArgs:\n    {writer.row.arg}: {writer.values}"
    return textwrap.indent(writer.header, "    ") + "\n" + _quoted(text, 2)


def _quoted(text: str, depth: int) -> str:
    tail = "\n" if "\n" in text.strip() else ""
    return textwrap.indent(f'"""{text.strip()}{tail}"""\n', "    " * depth)


def main(names: list[str]) -> None:
    """Write the stub files of some modules.

    Args:
        names: dotted names of the modules; one with a ``stub_text`` of its own says its text.
    """
    for name in names:
        module = importlib.import_module(name)
        own: Callable[[], str] | None = getattr(module, "stub_text", None)
        text = stub_text(module) if own is None else own()
        Path(str(module.__file__)).with_suffix(".pyi").write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
