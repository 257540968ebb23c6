"""The layers of the package, read from its source: who imports whom, and how long things are."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
PACKAGE = TESTS.parent / "usdsim"
FILES = sorted(PACKAGE.rglob("*.py"))
PAGE = (TESTS.parent / "docs" / "architecture.md").read_text(encoding="utf-8")

# A package may import those before it. A new package must be given its place here.
LAYERS = (
    "core",
    "math",
    "usd",
    "schemas",
    "spawners",
    "converters",
    "parser",
    "engine",
    "exporters",
    "render",
    "views",
    "scene",
    "actuators",
    "controllers",
    "assets",
    "sensors",
    "robots",
    "terrains",
    "sim",
    "viewer",
    "envs",
    "tasks",
    "learning",
    "compat",
    "cluster",
    "testing",
    "cli",
)
FOUNDATION = ("_mujoco_gl", "_plugins", "_resources")
# Short names for what packages hold: these modules only import and list names, and nothing in the
# package imports them.
FRONTS = ("coacd", "ik", "low", "msd", "osc", "query", "run", "write")

# Class names that mean two things, each because the programs written for it say so.
SHARED_NAMES = {
    "ActuatorBaseCfg",  # of groups of joints, and of Newton's actuator prims
    "Camera",  # the sensor, the element of a model, and that of an editable world
    "ContactSensor",  # the sensor, and the part of an editable world
    # Elements of a model, and parts of an editable world.
    *("Actuator", "Body", "Joint", "Keyframe", "Link", "Site", "SiteShape"),
    # Sources of compiled plans that are read, and that are written.
    *("JointAngularVelocity", "JointQuaternion"),
    # What a view knows of a body, and a part of an editable world.
    *("ContactPair", "Inertia", "MeshAsset", "MeshSource"),
}

# Where a dependency may be imported: path prefixes inside the package, without exceptions to them.
_ENGINE_ON = LAYERS[LAYERS.index("engine") :]
ALLOWED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "pxr": (
        (
            "_plugins",
            "usd",
            "schemas",
            "spawners",
            "converters",
            "parser",
            "exporters",
            "render",
            "sim",
            "compat",
            "cli",
            "testing",
        ),
        ("parser.description",),
    ),
    "warp": (_ENGINE_ON, ()),
    "mujoco": (
        ("converters.mjcf", "math.meshes.hull", *_ENGINE_ON),
        ("actuators", "viewer", "compat"),
    ),
    "mujoco_warp": (_ENGINE_ON, ()),
    "trimesh": (
        (
            "math.mesh_files",
            "compat.prims.solids",
            "compat.prims.terrain_pieces",
            "viewer.pictured",
        ),
        (),
    ),
    "collada": (("math.mesh_files.collada",), ()),
    "matplotlib": (("cli",), ()),
    "torch": (
        (
            "actuators.networks.torchscript",
            "math.tensors",
            "controllers",
            "envs",
            "tasks",
            "learning",
            "compat",
        ),
        (),
    ),
    "gymnasium": (("envs",), ()),
    "rsl_rl": ((), ()),
}

MAX_FILE_LINES = 500
MAX_FOLDER_MODULES = 22
MAX_FUNCTION_LINES = 60
MAX_KERNEL_LINES = 120
RIDDLES = ("What ", "How ", "Where ", "Which ", "From ", "Why ", "Who ")


def module_name(path: Path) -> str:
    """``usdsim.usd.stage`` of a file; a package is named without ``__init__``."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in FILES}


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def _is_typing_guard(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def _walk(node: ast.AST, *, typing: bool) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if typing or not _is_typing_guard(child):
            yield child
            yield from _walk(child, typing=typing)


def imports(path: Path, *, typing: bool = True) -> Iterator[tuple[str, int]]:
    """Absolute names of the modules a file imports anywhere, functions included, and lines.

    Args:
        path: the file.
        typing: whether imports under ``if TYPE_CHECKING`` count.
    """
    here = module_name(path).split(".")
    if path.name != "__init__.py":
        here = here[:-1]
    for node in _walk(tree(path), typing=typing):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                yield (inner if inner in MODULES else source), node.lineno


def layer(module: str) -> str | None:
    """``usd`` of ``usdsim.usd.stage``; None for the package itself and for other packages."""
    parts = module.split(".")
    return parts[1] if parts[0] == "usdsim" and len(parts) > 1 else None


def within(module: str, prefixes: tuple[str, ...]) -> bool:
    inner = module.removeprefix("usdsim.")
    return any(inner == prefix or inner.startswith(prefix + ".") for prefix in prefixes)


def test_every_package_has_its_place_in_the_layers():
    packages = {p.parent.name for p in PACKAGE.glob("*/__init__.py")}
    modules = {p.stem for p in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    assert packages <= set(LAYERS)
    assert modules <= {*FOUNDATION, *FRONTS}


def test_fronts_only_hand_on_names():
    for name in FRONTS:
        body = tree(PACKAGE / f"{name}.py").body
        kinds = [type(node) for node in body]
        assert kinds[0] is ast.Expr and kinds[-1] is ast.Assign
        assert set(kinds[1:-1]) == {ast.ImportFrom}
    wrong = [
        f"{module}:{line} imports {target}"
        for module, path in MODULES.items()
        for target, line in imports(path)
        if layer(target) in FRONTS
    ]
    assert not wrong, "\n".join(wrong)


def test_imports_point_upwards():
    wrong = []
    for module, path in MODULES.items():
        own = layer(module)
        if own not in LAYERS:
            continue
        for target, line in imports(path):
            other = layer(target)
            if target == "usdsim" and own != "cli":
                wrong.append(f"{module}:{line} imports the package itself")
            elif other in LAYERS and LAYERS.index(other) > LAYERS.index(own):
                wrong.append(f"{module}:{line} imports {target}")
    assert not wrong, "\n".join(wrong)


def test_foundation_imports_nothing_of_the_package():
    for name in FOUNDATION:
        targets = {t for t, _ in imports(PACKAGE / f"{name}.py") if t.startswith("usdsim.")}
        assert targets <= {f"usdsim.{other}" for other in FOUNDATION}


def test_above_the_engines_nobody_knows_one_of_them():
    """Whoever uses an engine uses `usdsim.engine.base`; `create_engine` chooses."""
    above = LAYERS[LAYERS.index("engine") + 1 :]
    wrong = [
        f"{module}:{line} imports {target}"
        for module, path in MODULES.items()
        if layer(module) in above
        for target, line in imports(path)
        if target.startswith(("usdsim.engine.cpu", "usdsim.engine.warp"))
    ]
    wrong += [
        f"{module}:{node.lineno} names {node.id}"
        for module, path in MODULES.items()
        if layer(module) in above
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Name) and node.id in ("CpuEngine", "WarpEngine")
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("dependency", ALLOWED)
def test_dependency_stays_where_it_belongs(dependency: str):
    prefixes, exceptions = ALLOWED[dependency]
    wrong = []
    for module, path in MODULES.items():
        if within(module, prefixes) and not within(module, exceptions):
            continue
        wrong += [
            f"{module}:{line} imports {target}"
            for target, line in imports(path)
            if target.split(".")[0] == dependency
        ]
    assert not wrong, "\n".join(wrong)


def test_no_import_cycles():
    """Imports inside functions count: they must not hide a cycle."""
    edges = {
        module: {target for target, _ in imports(path, typing=False) if target in MODULES}
        for module, path in MODULES.items()
        if module != "usdsim"
    }
    done: set[str] = set()

    def visit(module: str, chain: list[str]) -> None:
        assert module not in chain, " -> ".join([*chain[chain.index(module) :], module])
        if module not in done:
            for target in sorted(edges.get(module, ())):
                visit(target, [*chain, module])
            done.add(module)

    for module in edges:
        visit(module, [])


def test_files_are_short():
    long = {
        m: n for m, p in MODULES.items() if (n := len(p.read_text().splitlines())) > MAX_FILE_LINES
    }
    assert not long


def test_folders_hold_one_concept():
    """More modules than a reader takes in at once are several concepts."""
    sizes = Counter(path.parent for path in FILES if path.name != "__init__.py")
    full = {str(f.relative_to(PACKAGE)): n for f, n in sizes.items() if n > MAX_FOLDER_MODULES}
    assert not full


def test_a_class_name_has_one_meaning():
    """Tasks are apart: their parts are named for their place in the task."""
    homes: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        if path.relative_to(PACKAGE).parts[0] not in ("tasks", "compat"):
            for node in tree(path).body:
                if isinstance(node, ast.ClassDef):
                    homes.setdefault(node.name, []).append(module)
    shared = {name: modules for name, modules in homes.items() if len(modules) > 1}
    assert shared.keys() == SHARED_NAMES, shared


def test_headlines_begin_with_a_term():
    """A reader searches for the thing, not for what, how or where it is, nor for its article."""
    riddles = [
        f"{module}: {line}"
        for module, path in MODULES.items()
        if (line := (ast.get_docstring(tree(path)) or "").partition("\n")[0]).startswith(
            (*RIDDLES, "The ", "A ", "An ")
        )
    ]
    assert not riddles, "\n".join(riddles)


def test_headlines_inside_modules_begin_with_a_term():
    riddles = [
        f"{module}:{line} {text}"
        for module, path in MODULES.items()
        for line, text in _headlines(tree(path))
        if text.startswith(RIDDLES)
    ]
    assert not riddles, "\n".join(riddles)


def _headlines(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of what documents classes, functions and attributes."""
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, ast.get_docstring(node) or ""
        if isinstance(node, ast.ClassDef | ast.Module):
            for this, after in zip(node.body, node.body[1:], strict=False):
                if isinstance(this, ast.AnnAssign | ast.Assign) and isinstance(after, ast.Expr):
                    text = getattr(after.value, "value", "")
                    yield after.lineno, text if isinstance(text, str) else ""


def test_the_page_names_every_package_and_room():
    """The architecture page has a row for each layer, in order, and lists the folders of each."""
    _, layers, rooms, _ = re.split(r"^\| package \|.*|^## Three walks", PAGE, flags=re.MULTILINE)
    rows = [re.findall(r"^\| `(\w+)` \| (.+) \|$", part, re.MULTILINE) for part in (layers, rooms)]
    assert [package for package, _ in rows[0]] == list(LAYERS)
    listed = {
        package: set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", text)))
        for package, text in rows[1]
    }
    there: dict[str, set[str]] = {}
    for inner in PACKAGE.glob("*/*/__init__.py"):
        there.setdefault(inner.parents[1].name, set()).add(inner.parent.name)
    assert listed == there


def test_the_walks_lead_through_what_is_there():
    """Every file and name in the walks of the architecture page."""
    steps = re.findall(r"^\| `(usdsim/[\w/]+\.py)` \| `([\w.]+)` \|", PAGE, re.MULTILINE)
    lost = []
    for name, inside in steps:
        body: list[ast.stmt] = tree(TESTS.parent / name).body
        for word in inside.split("."):
            found = [node for node in body if word in _names(node)]
            if not found:
                lost.append(f"{name} has no {inside}")
                break
            body = getattr(found[0], "body", [])
    files = re.findall(r"`(usdsim/[\w/]+\.py)`", PAGE)
    lost += [name for name in files if not (TESTS.parent / name).is_file()]
    assert len(steps) > 20 and not lost, "\n".join(lost)


def _names(node: ast.stmt) -> set[str]:
    """What a statement defines."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {getattr(node, "name", ""), *(t.id for t in targets if isinstance(t, ast.Name))}


def _is_kernel(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("kernel" in ast.dump(d) or "'func'" in ast.dump(d) for d in node.decorator_list)


def test_functions_are_short():
    long = []
    for module, path in MODULES.items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                limit = MAX_KERNEL_LINES if _is_kernel(node) else MAX_FUNCTION_LINES
                if lines > limit:
                    long.append(f"{module}:{node.lineno} {node.name} has {lines} lines")
    assert not long, "\n".join(long)


def test_library_neither_prints_nor_asserts():
    """Output belongs to the command line; an assert on input disappears under ``python -O``."""
    wrong = []
    for module, path in MODULES.items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Assert):
                wrong.append(f"{module}:{node.lineno} asserts")
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "print"
                and layer(module) != "cli"
            ):
                wrong.append(f"{module}:{node.lineno} prints")
    assert not wrong, "\n".join(wrong)


def test_nothing_is_left_for_later():
    words = ("TODO", "FIXME", "XXX", "raise NotImplementedError")
    left = [m for m, p in MODULES.items() if any(word in p.read_text() for word in words)]
    assert not left


def _kernels() -> Iterator[tuple[str, ast.FunctionDef]]:
    for module, path in MODULES.items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef) and any(
                ast.unparse(d).startswith("wp.kernel") for d in node.decorator_list
            ):
                yield module, node


def test_kernels_say_what_they_write():
    """Outputs come last and end with ``_out`` (``_inout`` where they are read too)."""
    wrong = []
    for module, node in _kernels():
        names = [argument.arg for argument in node.args.args]
        outputs = [name.endswith(("_out", "_inout")) for name in names]
        if not any(outputs) or sorted(outputs) != outputs:
            wrong.append(f"{module}:{node.lineno} {node.name}({', '.join(names)})")
        elif not ast.get_docstring(node):
            wrong.append(f"{module}:{node.lineno} {node.name} is not documented")
    assert not wrong, "\n".join(wrong)


def test_kernel_modules_leave_out_gradients():
    """Compiling them costs as much again as the kernels."""
    modules = {module for module, _ in _kernels()}
    wrong = [m for m in modules if "init_kernels(__name__" not in MODULES[m].read_text()]
    assert modules and not wrong
    assert '"enable_backward": False' in MODULES["usdsim.engine.device"].read_text()


def test_tests_import_no_conftest():
    """There are several, and which of them a name means depends on what was collected before."""
    found = [
        f"{path.relative_to(TESTS)} imports from conftest"
        for path in sorted(TESTS.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "conftest"
    ]
    assert found == []
