"""XML elements that know their line, so that every message can name it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from usdsim.core.boundary import reason
from usdsim.core.errors import ConversionError

__all__ = ["Node", "parse_xml"]


_DEPTH = 200
_ENVIRONMENT = re.compile(r"\$\((?:opt)?env\s+(\w+)(?:\s+([^)]*))?\)")


def _lookup(match: re.Match[str]) -> str:
    """Substitute ``$(env NAME)`` and ``$(optenv NAME default)`` as ROS does."""
    return os.environ.get(match[1], match[2] or "")


@dataclass(eq=False, slots=True)
class Node:
    """One XML element; namespace prefixes stay part of the names."""

    tag: str
    attributes: dict[str, str]
    file: str
    line: int
    children: list[Node] = field(default_factory=list)
    text: str = ""

    @property
    def where(self) -> str:
        """File, line and element, for messages: ``robot.urdf:12 <link name="arm">``."""
        name = self.attributes.get("name")
        shown = f' name="{name}"' if name is not None else ""
        return f"{self.file}:{self.line} <{self.tag}{shown}>"

    def find(self, tag: str) -> Node | None:
        """First child with a tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def find_all(self, tag: str) -> list[Node]:
        """All children with a tag, in order."""
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator[Node]:
        """This element and everything below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def to_xml(self) -> str:
        """The element as XML text."""
        attributes = "".join(f" {key}={quoteattr(value)}" for key, value in self.attributes.items())
        inner = escape(self.text.strip()) + "".join(child.to_xml() for child in self.children)
        if not inner:
            return f"<{self.tag}{attributes}/>"
        return f"<{self.tag}{attributes}>{inner}</{self.tag}>"


_MISSPELT = re.compile(rb"<\?xml(?!\s+version\s*=)[^>]*\?>")
"""Declaration that is none, which says nothing about the text either."""


def _trimmed(data: bytes | str) -> tuple[bytes | str, int]:
    """The text from its first character on, without zeros at its end, and lines skipped."""
    if isinstance(data, str):
        text = data.lstrip()
        return text, data.count("\n", 0, len(data) - len(text))
    raw = data.lstrip()
    if not raw.startswith(b"<") or raw[1:2] == b"\0":
        return data, 0  # Characters may have two bytes, which belong together.
    misspelt = _MISSPELT.match(raw)
    raw = raw[misspelt.end() if misspelt else 0 :]
    return raw.rstrip(b"\0"), data.count(b"\n", 0, len(data) - len(raw))


def parse_xml(data: bytes | str, file: str) -> Node:
    """Parse XML text.

    Args:
        data: the text. Blank lines before its declaration, a misspelt one and a zero byte at its
            end are passed over, as by the parsers of ROS and MuJoCo.
        file: name used in messages.

    Raises:
        ConversionError: the text is not well-formed, with file and line.
    """
    text, skipped = _trimmed(data)
    name = Path(file).name
    parser = expat.ParserCreate()
    parser.buffer_text = True
    stack: list[Node] = []
    roots: list[Node] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        for key, value in attributes.items():
            if "$(" in value:
                attributes[key] = _ENVIRONMENT.sub(_lookup, value)
        node = Node(tag, attributes, name, parser.CurrentLineNumber + skipped)
        if len(stack) > _DEPTH:
            raise ConversionError(f"{node.where}: nested over {_DEPTH} deep; no robot needs that.")
        (stack[-1].children if stack else roots).append(node)
        stack.append(node)

    def end(_tag: str) -> None:
        stack.pop()

    def characters(text: str) -> None:
        if stack:
            stack[-1].text += text

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    try:
        parser.Parse(text, True)
    except (LookupError, UnicodeError) as error:
        raise ConversionError(
            f"{file}: the text cannot be decoded ({reason(error)}). Save it in UTF-8."
        ) from error
    except expat.ExpatError as error:
        what = f"{expat.ErrorString(error.code)}, column {error.offset}"
        raise ConversionError(
            f"{file}:{error.lineno + skipped}: not well-formed XML ({what})."
        ) from error
    return roots[0]
