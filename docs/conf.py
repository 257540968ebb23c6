"""Sphinx configuration: reference pages are generated from code and tables before each build."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import docstrings  # noqa: E402
import generate_api  # noqa: E402
import generate_assets  # noqa: E402
import generate_benchmarks  # noqa: E402
import generate_cli  # noqa: E402
import generate_coverage  # noqa: E402
import generate_examples  # noqa: E402
import generate_findings  # noqa: E402
import generate_gallery  # noqa: E402
import generate_schemas  # noqa: E402
import generate_tables  # noqa: E402
import inherited  # noqa: E402
import json_keys  # noqa: E402
import links  # noqa: E402
from sphinx.ext.autodoc.mock import mock  # noqa: E402
from sphinx.util import logging  # noqa: E402

import usdsim  # noqa: E402

project = "usdsim"
author = "the usdsim developers"
copyright = "the usdsim developers"
version = release = usdsim.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx.ext.linkcode",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"usdsim {release}"
html_static_path = ["static"]
html_css_files = ["usdsim.css"]
html_search_scorer = str(Path(__file__).parent / "static" / "scorer.js")
html_extra_path = ["api/gallery/site"]
html_favicon = html_logo = "static/favicon.svg"
html_theme_options = {
    "source_repository": "https://github.com/usdsim/usdsim/",
    "source_branch": "main",
    "source_directory": "docs/",
}

# Links into the references of what usdsim builds on. Without network they are plain text.
intersphinx_mapping = {
    "python": ("https://docs.python.org/3", None),
    "numpy": ("https://numpy.org/doc/stable", None),
    "warp": ("https://nvidia.github.io/warp", None),
}
intersphinx_timeout = 5
# Prompts and output are not copied.
copybutton_prompt_text = r"\$ |>>> "
copybutton_prompt_is_regexp = True

# Single backticks in docstrings are names, not emphasis.
default_role = "code"
# Thousands of methods in every sidebar triple the time of a build.
toc_object_entries = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
# Names such as `shape` are attributes of several classes; none of them is meant to be a link.
suppress_warnings = ["ref.python"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
myst_html_meta = {
    "description lang=en": "Author, convert and simulate physics on OpenUSD stages from Python: "
    "URDF and MJCF to USD, thousands of worlds on CPU or GPU, reinforcement learning.",
    "keywords": "OpenUSD, UsdPhysics, MuJoCo, URDF, MJCF, robotics simulation, Isaac Lab",
}

# Signatures name tensors; nothing on these pages computes with them.
autodoc_mock_imports = [name for name in ("torch",) if importlib.util.find_spec(name) is None]

with mock(autodoc_mock_imports):
    generate_api.write_pages(HERE / "api")
    generate_tables.write_tables(HERE / "api")
    generate_schemas.write_schemas(HERE / "api" / "schemas")
    generate_coverage.write_coverage(HERE / "api")
    generate_examples.write_examples(HERE / "api" / "examples")
    generate_assets.write_assets(HERE / "api" / "assets")
    generate_benchmarks.write_benchmarks(HERE / "api" / "benchmarks")
    generate_cli.write_help(HERE / "api" / "cli")
    generate_findings.write_findings(HERE / "api" / "findings")
    generate_gallery.write_gallery(HERE / "api" / "gallery")
    json_keys.write_keys(HERE / "api" / "cli")


def _list_inherited(
    app: Any, what: str, name: str, obj: object, options: Any, lines: list[str]
) -> None:
    """A class says what it has from its bases, which are documented once."""
    if what == "class" and isinstance(obj, type):
        lines += inherited.inherited_members(obj, generate_api.PLACES)


def _skip_aliases(
    app: Any, what: str, name: str, obj: object, skip: bool, options: Any
) -> bool | None:
    """A class that is also reachable as an attribute of another one is documented once."""
    alias = what == "class" and isinstance(obj, type) and "." not in obj.__qualname__
    return True if alias else None


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """Address of the lines that define an object."""
    if domain != "py" or not info["module"]:
        return None
    found: Any = sys.modules.get(info["module"])
    for part in info["fullname"].split("."):
        found = getattr(found, part, None)
    try:
        lines, first = inspect.getsourcelines(inspect.unwrap(found))
        path = Path(str(inspect.getsourcefile(inspect.unwrap(found)))).relative_to(HERE.parent)
    except (TypeError, OSError, ValueError):
        return None
    address = f"https://github.com/usdsim/usdsim/blob/main/{path.as_posix()}"
    return f"{address}#L{first}-L{first + len(lines) - 1}"


def _quiet_without_network(app: Any) -> None:
    """A reference that cannot be fetched is no warning: the build works offline."""
    logging.logging.getLogger("sphinx.sphinx.ext.intersphinx").addFilter(
        lambda record: "failed to reach any of the inventories" not in record.getMessage()
    )


def _check_links(app: Any, error: Exception | None) -> None:
    """A link that leads nowhere is a warning, and so an error."""
    if error is None and app.builder.format == "html":
        for page, link in links.broken_links(Path(app.outdir)):
            logging.getLogger(__name__).warning("%s: %s leads nowhere", page, link)


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("builder-inited", _quiet_without_network, priority=1)
    app.connect("build-finished", _check_links)
    app.connect("autodoc-process-docstring", docstrings.describe_aliases)
    app.connect("autodoc-process-docstring", docstrings.rejoin_colons)
    app.connect("autodoc-process-docstring", docstrings.escape_markup)
    app.connect("autodoc-process-docstring", docstrings.mark_deprecated)
    app.connect("autodoc-process-docstring", _list_inherited)
    app.connect("autodoc-skip-member", _skip_aliases)
