"""Lazy packages have the names that they import for type checkers, wherever those come from."""

import importlib
import sys

import pytest

from usdsim.core.lazy import listed_names

HEAD = """from typing import TYPE_CHECKING

from usdsim.core.lazy import lazy_names

if TYPE_CHECKING:
    from .inner import *
    from .plain import Plain as Plain

__getattr__, __dir__, __all__ = lazy_names(__name__, ("plain",), without=("hidden",))
"""
FILES = {
    "__init__.py": HEAD,
    "plain.py": "class Plain: ...\n",
    "inner/__init__.py": (
        "from . import more\nfrom .more import *\n\n"
        "hidden = shown = 1\n__all__ = [*more.__all__, 'hidden', 'shown']\n"
    ),
    "inner/more.py": "__all__ = ['extra']\nextra = 2\n",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    for name, text in FILES.items():
        file = tmp_path / "lazy_package" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("lazy_package")
    for name in [name for name in sys.modules if name.partition(".")[0] == "lazy_package"]:
        del sys.modules[name]


def test_names_are_those_of_the_block_for_type_checkers(package):
    assert package.__all__ == ["Plain", "extra", "shown"]
    assert "lazy_package.inner" not in sys.modules and "lazy_package.plain" not in sys.modules
    assert (package.extra, package.shown) == (2, 1) and package.Plain is package.plain.Plain
    assert {"Plain", "extra", "shown", "plain"} <= set(dir(package)) and "hidden" not in dir(
        package
    )
    with pytest.raises(AttributeError, match="'lazy_package' has no attribute 'hidden'"):
        _ = package.hidden


def test_names_are_read_without_importing(package, tmp_path):
    listed = listed_names(tmp_path / "lazy_package" / "inner" / "__init__.py")
    assert list(listed) == ["extra", "hidden", "shown"]
    assert "lazy_package.inner" not in sys.modules
