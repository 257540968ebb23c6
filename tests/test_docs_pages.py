"""Links, anchors and pictures of the documentation and of the pages beside it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import matplotlib.image
import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))

import docstrings  # noqa: E402
import example_pictures  # noqa: E402
import generate_examples  # noqa: E402
import generate_findings  # noqa: E402
import generate_pictures  # noqa: E402
import inherited  # noqa: E402
import links  # noqa: E402

from usdsim.math.repair import REPAIRS  # noqa: E402

PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "assets").rglob("*.md"),
    *(page for page in DOCS.rglob("*.md") if not {"api", "_build"} & set(page.parts)),
]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("[0-9]*.py"))
LARGEST = 60 * 1024  # of a picture [bytes]


def _anchor(heading: str) -> str:
    """How a heading is linked to: as on code hosting sites, and by MyST."""
    words = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return words.replace(" ", "-")


def _anchors(page: Path) -> set[str]:
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return {_anchor(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def _targets(page: Path) -> list[str]:
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    found = re.findall(r"\[[^]]*\]\(([^)\s]+)\)", text) + re.findall(
        r'(?:src|href)="([^"]+)"', text
    )
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def _broken(page: Path) -> list[str]:
    broken = []
    for target in _targets(page):
        name, _, place = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        generated = path.is_relative_to(DOCS / "api")
        if generated:
            continue
        if not path.exists() or (place and place not in _anchors(path)):
            broken.append(target)
    return broken


# -- links ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_page_lead_somewhere(page: Path):
    assert _broken(page) == []


def test_links_that_lead_nowhere_are_noticed(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text(
        "# A head, of page\n[](#a-head-of-page) [x](#nothing) [](page.md) [](other.md) "
        '![](missing.png) [](https://example.org) <img src="gone.png">\n```\n[](code.md)\n```\n'
    )
    assert _broken(page) == ["#nothing", "other.md", "missing.png", "gone.png"]


def test_links_of_built_pages_that_lead_nowhere_are_noticed(tmp_path: Path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "image.png").touch()
    (tmp_path / "index.html").write_text(
        '<h1 id="top">x</h1><a href="#top"></a><a href="#lost"></a><a href="sub/page.html#in"></a>'
        '<a href="sub/page.html#out"></a><a href="https://example.org/#x"></a>'
        '<a href="mailto:a@example.org"></a><img src="image.png"><img src="gone%20image.png">'
    )
    (tmp_path / "sub" / "page.html").write_text('<a name="in"></a><a href="../index.html#top"></a>')
    assert links.broken_links(tmp_path) == [
        ("index.html", "#lost"),
        ("index.html", "gone%20image.png"),
        ("index.html", "sub/page.html#out"),
    ]


def test_every_page_is_named_where_it_is_looked_for():
    """Concepts and how-to pages are in the contents, and on the page that says where things are."""
    index, where = (DOCS / "index.md").read_text(), (DOCS / "where.md").read_text()
    for folder in ("concepts", "howto"):
        for page in (DOCS / folder).glob("*.md"):
            assert f"\n{folder}/{page.stem}\n" in index
            moved = page.stem in ("isaaclab", "motrixsim", "mujoco", "newton")
            assert moved or f"({folder}/{page.name})" in where, page.name


# -- pictures ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_is_shown(name: str):
    run = example_pictures.RUNS[name]
    picture = DOCS / "images" / "examples" / f"{name}.png"
    assert picture.stat().st_size <= LARGEST, "run `make pictures`"
    width = len(run.times) * (example_pictures.FRAME[0] + example_pictures.GAP)
    image = matplotlib.image.imread(picture)
    assert image.shape[:2] == (example_pictures.FRAME[1], width - example_pictures.GAP)
    assert all(part.std() > 0.01 for part in (image[:, :200], image[:, -200:]))
    text = generate_examples._page(ROOT / "examples" / f"{name}.py")[1]
    assert f"images/examples/{name}.png" in text
    assert (f"{name}_plot.png" in text) == (name in example_pictures.PLOTS)
    assert run.recording.rpartition(".")[0] in (ROOT / "examples" / f"{name}.py").read_text()


def test_nothing_else_is_shown():
    kept = {path.stem for path in (DOCS / "images" / "examples").iterdir()}
    assert kept == {*EXAMPLES, *(f"{name}_plot" for name in example_pictures.PLOTS)}
    assert set(example_pictures.RUNS) == set(EXAMPLES)


def test_every_asset_is_shown():
    folders = {path.name for path in (ROOT / "assets").iterdir() if path.is_dir()}
    assert set(generate_pictures.SHOTS) == folders
    for name in folders:
        assert (ROOT / "assets" / name / f"{name}.png").stat().st_size <= LARGEST


# -- reference -----------------------------------------------------------------------------------


def test_classes_list_what_they_inherit():
    class Base:
        def write(self): ...

        def write_index(self): ...

        def write_mask(self): ...

        def _hidden(self): ...

        size = 1

    class Middle(Base):
        def write(self): ...

    class Last(Middle):
        def own(self): ...

    text = "\n".join(inherited.inherited_members(Last, {Base: "a.Base"}))
    assert ":class:`~a.Base`" in text and ":attr:`size <a.Base.size>`" in text
    assert ":meth:`write <a.Base.write>` (:meth:`index <a.Base.write_index>`" in text
    assert "_hidden" not in text and "own" not in text
    assert inherited.inherited_members(Last, {}) == []


def test_text_with_a_colon_stays_a_sentence():
    lines = ["written ``*B`` in shapes.", "", ":type: Batch shape, () or (N,)"]
    docstrings.rejoin_colons(None, "property", "shape", None, None, lines)
    assert lines == ["Batch shape, () or (N,): written ``*B`` in shapes.", ""]
    lines = ["A class.", ":type: kept"]
    docstrings.rejoin_colons(None, "class", "C", None, None, lines)
    assert lines == ["A class.", ":type: kept"]


def test_shapes_and_magnitudes_are_no_markup():
    lines = ["shape (*B, 3) of |w|, ``*B`` and **bold**, `*x`"]
    docstrings.escape_markup(None, "method", "m", None, None, lines)
    assert lines == [r"shape (\*B, 3) of \|w\|, ``*B`` and **bold**, `*x`"]


def test_what_is_deprecated_says_so_and_since_when():
    lines = ["Deprecated: use `New`.", ""]
    docstrings.mark_deprecated(None, "class", "Old", None, None, lines)
    assert lines == [".. deprecated:: 0.1", "   Use `New`.", ""]


def test_findings_are_listed_with_what_they_say():
    assert ("breakable-joint", "note") in {row[:2] for row in generate_findings.made_in("parser")}
    codes = {row[0].strip("`"): row for row in generate_findings._rows(("parser", "scene"))}
    assert "is authored but has no effect" in codes["unsupported"][2]
    assert "note" in codes["approximated"][1] and "warning" in codes["approximated"][1]
    assert codes["size-zero"][2] == REPAIRS["size-zero"]
    assert all(text for _, _, text in codes.values())
