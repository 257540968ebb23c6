"""Names and indices, and what is left out of the engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engine_scenes import X, body, dof, engine, geom, ground, joint, pose, run, scene

from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.engine import compile_scene
from usdsim.engine.names import Namer
from usdsim.parser.description import (
    ActuatorDescription,
    GenericDescription,
    HeightFieldDescription,
    MeshDescription,
    SiteDescription,
)

CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
FACES = np.array(
    [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ],
    dtype=np.int32,
)  # fmt: skip


def mesh(path="/mesh", half=0.1, **values) -> MeshDescription:
    return MeshDescription(path=path, points=half * CUBE, faces=FACES, **values)


def test_every_element_is_found_by_path_and_source_name():
    bodies = [body("/r/base", name="base"), body("/r/arm", parent=0, joints=(0,), name="arm")]
    named = joint(dof("/r/elbow", name="elbow_joint"), path="/r/elbow", parent=0, child=1)
    shapes = [geom("/r/base/ball", 0, name="ball")]
    site = SiteDescription(path="/r/tip", body=1, name="tip", pose=pose((1, 0, 0)))
    names = compile_scene(scene(bodies, [named], shapes, sites=(site,))).names
    for kind, path, name in (
        ("body", "/r/arm", "arm"),
        ("joint", "/r/elbow", "elbow_joint"),
        ("geom", "/r/base/ball", "ball"),
        ("site", "/r/tip", "tip"),
    ):
        index = names.index(kind, path)
        assert names.index(kind, name) == index
        assert (names.paths(kind)[index], names.names(kind)[index]) == (path, name)
    assert names.index("body", "/") == names.index("body", "world") == 0


def test_table_follows_the_engines_order_not_the_stages():
    bodies = [
        body("/a"),
        body("/b"),
        body("/a/c", parent=0, joints=(0,)),
    ]
    names = compile_scene(scene(bodies, [joint(dof("/j"), path="/j", parent=0, child=2)])).names
    assert names.paths("body") == ("/", "/a", "/a/c", "/b")
    assert names.paths("joint") == ("/a", "/j", "/b")


def test_taken_names_fall_back_to_the_path():
    bodies = [body("/a", name="leg"), body("/b", name="leg"), body("/c", name="world")]
    assert compile_scene(scene(bodies)).names.names("body") == ("world", "leg", "/b", "/c")


def test_unnamed_elements_of_a_source_stay_unnamed():
    shapes = [geom(f"/body/g{i}", 0, name="") for i in range(2)]
    names = compile_scene(scene([body(name="")], (), shapes)).names
    assert names.names("geom") == ("", "")
    assert names.names("body") == ("world", "")
    assert names.index("geom", "/body/g1") == 1


def test_two_shapes_of_one_prim_get_different_names():
    parts = [geom("/body/hull", 0), geom("/body/hull", 0, pose=pose((1, 0, 0)))]
    names = compile_scene(scene([body()], (), parts)).names
    assert names.names("geom") == ("/body/hull", "/body/hull:1")


def test_prim_that_is_body_and_shape():
    names = compile_scene(scene([body("/cube")], (), [geom("/cube", 0)])).names
    assert (names.index("body", "/cube"), names.index("geom", "/cube")) == (1, 0)


def test_unknown_names_show_close_matches():
    names = compile_scene(scene([body("/robot/forearm")])).names
    with pytest.raises(UnknownNameError, match=r"body '/robot/forarm'.*'/robot/forearm'"):
        names.index("body", "/robot/forarm")
    assert names.find("body", "/robot/forarm") is None
    with pytest.raises(InvalidValueError, match="'muscle'"):
        names.index("muscle", "x")


def test_namer_keeps_kinds_apart():
    namer = Namer()
    taken = [namer.take("geom", "a", "/a"), namer.take("site", "a", "/s")]
    assert taken == ["a", "a"]
    assert [namer.take("geom", "a", "/b"), namer.take("geom", "", "/c")] == ["/b", ""]


def decorated(**values):
    """A falling box with a visual mesh, a height field to look at, and a collider."""
    looks = geom("/body/looks", 0, "mesh", collides=False, mesh="/mesh", rgba=np.ones(4))
    hills = geom("/hills", -1, "hfield", collides=False, mesh="/field")
    field = HeightFieldDescription(
        path="/field", elevation=np.eye(3), size=np.array([1.0, 1.0, 0.2, 0.1])
    )
    return scene(
        [body(at=pose((0, 0, 0.5), X, 0.3))],
        (),
        [ground(), looks, geom("/body/box", 0, "box", (0.1, 0.1, 0.1)), hills],
        meshes={"/mesh": mesh()},
        height_fields={"/field": field},
        **values,
    )


def test_what_only_shows_is_left_out_and_changes_nothing():
    lean, exact = compile_scene(decorated()), compile_scene(decorated(), exact=True)
    assert (lean.mj.ngeom, lean.mj.nmesh, lean.mj.nhfield) == (2, 0, 0)
    assert (exact.mj.ngeom, exact.mj.nmesh, exact.mj.nhfield) == (4, 1, 1)
    assert lean.names.paths("geom") == ("/ground", "/body/box")
    trajectories = []
    for compiled in (lean, exact):
        from usdsim.engine import CpuEngine

        trajectories.append(run(CpuEngine(compiled), 1.0, "qpos")[0])
    assert (trajectories[0] == trajectories[1]).all()


@pytest.mark.parametrize("kind", ["element", "actuator"])
def test_referenced_shapes_stay(kind):
    targets = {"objname": ("/body/looks",)}
    if kind == "element":
        element = GenericDescription(
            path="/size", kind="numeric", targets=targets, overrides={"size": 1, "data": [1.0]}
        )
        lean = compile_scene(decorated(elements=(element,)))
    else:
        pull = ActuatorDescription(
            path="/pull",
            targets=targets,
            overrides={"trntype": 5, "target": "/body"},
        )
        lean = compile_scene(decorated(actuators=(pull,)))
    assert "/body/looks" in lean.names.paths("geom")
    assert lean.mj.nmesh == 1


def test_mesh_collides_as_its_hull():
    box = geom("/body/mesh", 0, "mesh", mesh="/mesh")
    resting = scene([body(at=pose((0, 0, 0.1)))], (), [ground(), box], meshes={"/mesh": mesh()})
    sim = engine(resting)
    run(sim, 1.0)
    assert sim.read("qpos")[0, 2] == pytest.approx(0.1, abs=5e-4)


def test_height_field_carries_a_ball():
    field = HeightFieldDescription(
        path="/field", elevation=np.full((4, 4), 0.5), size=np.array([1.0, 1.0, 0.4, 0.1])
    )
    hills = geom("/hills", -1, "hfield", mesh="/field")
    ball = body(at=pose((0, 0, 0.31)))
    sim = engine(scene([ball], (), [hills, geom()], height_fields={"/field": field}))
    run(sim, 1.0)
    assert sim.read("qpos")[0, 2] == pytest.approx(0.3, abs=5e-4)


def test_shapes_of_every_kind_compile():
    kinds = {
        "sphere": (0.1, 0, 0),
        "capsule": (0.1, 0.2, 0),
        "cylinder": (0.1, 0.2, 0),
        "box": (0.1, 0.2, 0.3),
        "ellipsoid": (0.1, 0.2, 0.3),
    }
    shapes = [geom(f"/body/{kind}", 0, kind, size) for kind, size in kinds.items()]
    shapes += [ground(), geom("/floor", -1, "plane", (2, 3, 0))]
    model = compile_scene(scene([body()], (), shapes)).mj
    assert model.ngeom == 7
    capsule = replace(shapes[1])
    index = compile_scene(scene([body()], (), [capsule])).mj.geom_size[0]
    assert index[:2] == pytest.approx([0.1, 0.2])
