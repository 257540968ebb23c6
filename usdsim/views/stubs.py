"""Stub files: what editors, type checkers and readers see of methods made from tables and parts.

``python -m usdsim.views.stubs usdsim.assets.members`` writes the ``.pyi`` beside a module whose
classes get members by `usdsim.views.binding.writers`, `usdsim.core.facade.facade` and
`usdsim.views.aliases.aliases`. Parts of a facade are bases there; forms of their methods, which the
parts get by `usdsim.views.forms`, stand in the class.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import json
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

from usdsim.core.facade import parts_of
from usdsim.views.aliases import Alias, attribute_texts
from usdsim.views.binding import WRITERS, Form, Writer
from usdsim.views.forms import MadeForm, forms_of

__all__ = ["main", "stub_text"]

_WIDTH = 100
"""Longest line."""
_HEAD = '''"""{headline}

Written by ``python -m usdsim.views.stubs {module}``.
"""

{imports}

__all__ = {names}
'''
_NOTES: dict[Form, str] = {
    "plain": "",
    "index": "`{}`, by keyword.",
    "mask": "`{}`, with values of all, where masks are true.",
}
"""Documentation of a form beside that of the plain one, which holds for it too."""
_WRITER_TYPES = {
    "Indices": ("usdsim.views.selection", "Indices"),
    "Mask": ("usdsim.views.selection", "Mask"),
    "Values": ("usdsim.views.values", "Values"),
}


def stub_text(module: ModuleType) -> str:
    """Text of the stub file of a module.

    Args:
        module: the module, in which all classes listed in ``__all__`` get their members from tables
            and parts.
    """
    imports = _Imports(module)
    classes = [_class(getattr(module, name), imports) for name in module.__all__]
    headline = (inspect.getdoc(module) or "").partition("\n")[0]
    names = "[\n" + "".join(f'    "{name}",\n' for name in module.__all__) + "]"
    head = _HEAD.format(
        headline=headline, module=module.__name__, imports=imports.text(), names=names
    )
    return "\n".join([head, *classes])


class _Imports:
    """Imports that the annotations of a stub file need.

    Args:
        module: the module the stub file is of.
    """

    def __init__(self, module: ModuleType):
        self._module = module
        self._found: dict[str, set[str]] = defaultdict(set)

    def add(self, source: str, name: str) -> None:
        """Import a name, unless the module defines it."""
        if source not in (self._module.__name__, "builtins"):
            self._found[source].add(name)

    def add_all(self, annotation: str, where: str) -> None:
        """Import what an annotation in a module names."""
        known = _WRITER_TYPES | _known_names(where)
        for node in ast.walk(ast.parse(annotation, mode="eval")):
            if isinstance(node, ast.Name) and node.id in known:
                self.add(*known[node.id])

    def text(self) -> str:
        """The import statements, sorted."""
        lines = []
        for source, names in sorted(self._found.items()):
            lines += [f"import {source}{name}" for name in sorted(names) if name[0] == " "]
            listed = ", ".join(sorted(name for name in names if name[0] != " "))
            lines += [f"from {source} import {listed}"] if listed else []
        return "\n".join(lines)


@functools.cache
def _known_names(where: str) -> dict[str, tuple[str, str]]:
    """Module and name behind each name that a module imports or defines at its top.

    Of a module that is imported under another name, `` as `` and that name.
    """
    source = Path(str(sys.modules[where].__file__)).read_text(encoding="utf-8")
    found: dict[str, tuple[str, str]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            package = where.split(".")[: -node.level] if node.level else []
            origin = ".".join([*package, *([node.module] if node.module else [])])
            found.update({name.name: (origin, name.name) for name in node.names})
        elif isinstance(node, ast.Import):
            found.update({n.asname: (n.name, f" as {n.asname}") for n in node.names if n.asname})
        elif isinstance(node, ast.Assign):
            found.update({t.id: (where, t.id) for t in node.targets if isinstance(t, ast.Name)})
    return found


def _class(owner: type, imports: _Imports) -> str:
    parts = parts_of(owner).values()
    bases = [*(base for base in owner.__bases__ if base is not object), *parts]
    for base in bases:
        imports.add(base.__module__, base.__name__)
    listed = f"({', '.join(base.__name__ for base in bases)})" if bases else ""
    texts = [f"class {owner.__name__}{listed}:\n{_quoted(inspect.getdoc(owner) or '', 1)}"]
    own = [writer for writer in WRITERS if writer.owner == owner.__name__]
    for _, forms in groupby(own, key=lambda writer: writer.method):
        texts.append("".join(_written(writer, imports) for writer in forms))
    texts += _aliases(owner, imports)
    texts += [_method(form, imports) for part in parts for form in forms_of(part)]
    return "\n".join(texts)


def _aliases(owner: type, imports: _Imports) -> Iterator[str]:
    """Aliases of a class, with the text that the first derived class has on what they stand for."""
    names = [name for name, value in vars(owner).items() if isinstance(value, Alias)]
    if names:
        texts = attribute_texts(owner.__subclasses__()[0])
        for name in names:
            imports.add_all(texts[name].annotation, texts[name].module)
            said = _wrapped(f'"""{texts[name].says}"""', 4)
            yield f"    {name}: {texts[name].annotation}\n{said}\n"


def _written(writer: Writer, imports: _Imports) -> str:
    for kind, _ in writer.parameters.values():
        imports.add_all(kind, __name__)
    says = f"{writer.says} `{writer.row.arg}`: {writer.values}"
    text = _wrapped(f'"""{_NOTES[writer.form].format(writer.method) or says}"""', 8)
    return f"{_signature(writer.name, writer.given, 'None')}\n{text}\n"


def _method(made: MadeForm, imports: _Imports) -> str:
    """One form of a method of a part."""
    for annotation in made.function.__annotations__.values():
        imports.add_all(str(annotation), made.function.__module__)
    says = (inspect.getdoc(made.function) or "").partition("\n\nRaises:")[0]
    note = _NOTES[made.form].format(made.method)
    return f"{_header(made.function.__name__, made.function)}\n{_quoted(note or says, 2)}"


def _header(name: str, function: Any) -> str:
    """Signature of a function whose annotations are texts."""
    lines, starred = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            lines.append("*")
            starred = True
        typed = "" if parameter.annotation is parameter.empty else f": {parameter.annotation}"
        default = "" if parameter.default is parameter.empty else f" = {_default(parameter)}"
        lines.append(f"{parameter.name}{typed}{default}")
    return _signature(name, lines, inspect.signature(function).return_annotation)


def _signature(name: str, given: list[str], returns: str) -> str:
    """First lines of a method of a class, on as few lines as fit."""
    listed = ", ".join(given)
    if len(listed) + len(name) + len(returns) + 15 <= _WIDTH:
        return f"    def {name}({listed}) -> {returns}:"
    whole = _wrapped(", ".join(one.replace(" ", "\0") for one in given), 8).replace("\0", " ")
    return f"    def {name}(\n{whole}\n    ) -> {returns}:"


def _wrapped(text: str, indent: int) -> str:
    room = _WIDTH - indent
    lines = textwrap.wrap(text, room, break_on_hyphens=False, break_long_words=False)
    return textwrap.indent("\n".join(lines), " " * indent)


def _default(parameter: inspect.Parameter) -> str:
    value = parameter.default
    if isinstance(value, str):
        return json.dumps(value)
    return repr(value) if value is None or isinstance(value, bool | int) else "..."


def _quoted(text: str, depth: int) -> str:
    tail = "\n" if "\n" in text.strip() else ""
    return textwrap.indent(f'"""{text.strip()}{tail}"""\n', "    " * depth)


def main(names: list[str]) -> None:
    """Write the stub files of some modules.

    Args:
        names: dotted names of the modules.
    """
    for name in names:
        module = importlib.import_module(name)
        Path(str(module.__file__)).with_suffix(".pyi").write_text(stub_text(module), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
