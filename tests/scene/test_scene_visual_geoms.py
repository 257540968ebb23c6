"""Visual geoms keep the names, indices and places that MuJoCo's own model of the source has."""

import pickle
from functools import cache

import mujoco
import numpy as np
import pytest
from device_under_test import DEVICE
from hypothesis import given, settings
from hypothesis import strategies as st

import usdsim
from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.scene import Shape, TerrainScanner
from usdsim.scene.load import load_mjcf_str

SHAPES = (
    'type="sphere" size=".11"',
    'type="box" size=".1 .12 .08"',
    'type="capsule" size=".06 .1"',
    'type="ellipsoid" size=".1 .07 .12"',
)
BODIES = 3


@st.composite
def scenes(draw):
    """Bodies that lie on a ground, of shapes of which some are only looked at."""
    count, bodies = 0, []
    for body in range(BODIES):
        geoms = []
        # What touches the ground is always there.
        kinds = [*draw(st.lists(st.sampled_from((*SHAPES, "visual")), max_size=4)), SHAPES[0]]
        for kind in draw(st.permutations(kinds)):
            seen = kind == "visual" or draw(st.booleans())
            shape = draw(st.sampled_from(SHAPES)) if kind == "visual" else kind
            named = f'name="g{count}"' if draw(st.booleans()) else ""
            looks = 'contype="0" conaffinity="0"' if seen and geoms else ""
            place = f'pos="0 0 {0.01 * count}" euler="{7 * count} 20 0"'
            geoms.append(f"<geom {named} {shape} {looks} {place}/>")
            count += 1
        inner = '<body name="in" pos=".1 0 .3"><joint name="j"/><geom size=".03"/></body>'
        bodies.append(
            f'<body name="b{body}" pos="{body} 0 .09"><freejoint/>{"".join(geoms)}'
            f"{inner if body == 1 else ''}</body>"
        )
    seen = '<geom name="sky" size=".2" pos="0 0 9" contype="0" conaffinity="0"/>'
    ground = '<geom name="ground" type="plane" size="9 9 1"/>'
    rest = "".join(draw(st.permutations([seen, ground, *bodies])))
    return f"<mujoco><worldbody>{rest}</worldbody></mujoco>"


def moved(xml):
    """The scene here, and in MuJoCo, after the same steps of the same turning motion."""
    model, low = load_mjcf_str(xml), mujoco.MjModel.from_xml_string(xml)
    data, state = usdsim.SceneData(model, batch=(2,)), mujoco.MjData(low)
    speed = np.linspace(-1.0, 1.0, model.num_dof_vel)
    data.dof_vel = speed
    state.qvel = speed
    model.step_n(data, 3)
    mujoco.mj_step(low, state, 3)
    mujoco.mj_forward(low, state)
    return model, data, low, state


@settings(max_examples=12)
@given(scenes())
def test_geoms_are_those_of_the_source(xml):
    model, data, low, state = moved(xml)
    assert model.geom_names == [low.geom(i).name or None for i in range(low.ngeom)]
    velocity = np.zeros(6)
    for geom in model.geoms:
        i = geom.index
        assert geom.visual_only == (low.geom_contype[i] == 0)
        assert geom.visual_only == (geom.engine_id < 0)
        assert (geom.link is None) == (low.geom_bodyid[i] == 0)
        assert geom.link is None or geom.link.name == low.body(low.geom_bodyid[i]).name
        np.testing.assert_allclose(geom.get_position(data)[1], state.geom_xpos[i], atol=1e-5)
        mat = state.geom_xmat[i].reshape(3, 3)
        np.testing.assert_allclose(geom.get_rotation_mat(data)[1], mat, atol=1e-5)
        mujoco.mj_objectVelocity(low, state, mujoco.mjtObj.mjOBJ_GEOM, i, velocity, 0)
        found = np.r_[geom.get_angular_velocity(data)[1], geom.get_linear_velocity(data)[1]]
        np.testing.assert_allclose(found, velocity, atol=1e-4)
        np.testing.assert_allclose(geom.local_pose[:3], low.geom_pos[i], atol=1e-6)
        used = {2: 1, 3: 2, 4: 3, 6: 3}.get(int(low.geom_type[i]), 0)
        np.testing.assert_allclose(geom.size[:used], low.geom_size[i, :used], atol=1e-6)
    for link in model.links:
        first = int(low.body(link.name).geomadr[0])
        number = int(low.body(link.name).geomnum[0])
        assert [geom.index for geom in link.geoms] == [*range(first, first + number)]


@settings(max_examples=12)
@given(scenes())
def test_contacts_and_rays_name_the_geoms_of_the_source(xml):
    model, data, low, state = moved(xml)
    pairs = {tuple(sorted(pair)) for pair in state.contact.geom.tolist()}
    query = model.get_contact_query(data)
    assert {tuple(pair) for pair in query.contacting_geoms()[0].tolist()} == pairs
    every = np.array([(a, b) for a in range(low.ngeom) for b in range(a)])
    touching = query.is_colliding(every)[1]
    assert {tuple(sorted(pair)) for pair in every[touching].tolist()} == pairs
    found = query.contacts
    assert {
        tuple(sorted(p)) for p in zip(found.geom1.tolist(), found.geom2.tolist(), strict=True)
    } == pairs
    ground = model.get_geom("ground")
    for link in model.links:
        mine = {i for i in range(low.ngeom) if low.body(low.geom_bodyid[i]).name == link.name}
        below = any(ground.index in pair and set(pair) & mine for pair in pairs)
        assert query.is_touching(link, ground).tolist() == [below, below]
    hit = model.cast_rays(data, [[0.5, 0.5, 5.0]], [[0.0, 0.0, -1.0]])
    assert hit.geom.tolist() == [[ground.index], [ground.index]]


ROBOT = """<mujoco>
  <asset><mesh name="wedge" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
  <worldbody>
    <geom name="ground" type="plane" size="9 9 1"/>
    <body name="arm" pos="0 0 1"><freejoint/>
      <geom name="paint" type="mesh" mesh="wedge" contype="0" conaffinity="0" friction=".3 0 0"/>
      <geom name="core" size=".1"/>
      <geom name="stripe" type="box" size=".1 .2 .3" contype="0" conaffinity="0" group="1"/>
    </body>
  </worldbody>
</mujoco>"""


@cache
def robot():
    return load_mjcf_str(ROBOT)


def test_what_is_only_looked_at_says_what_it_is():
    model = robot()
    data = usdsim.SceneData(model, batch=(2,))
    everything = load_mjcf_str(ROBOT, exact=True)
    whole = usdsim.SceneData(everything, batch=(2,))
    assert model.low.ngeom == 2
    for name in ("paint", "stripe"):
        geom, other = model.get_geom(name), everything.get_geom(name)
        assert (geom.index, geom.shape) == (other.index, other.shape)
        np.testing.assert_allclose(geom.get_pose(data), other.get_pose(whole), atol=1e-6)
        np.testing.assert_allclose(
            geom.get_world_aabb(data), other.get_world_aabb(whole), atol=1e-6
        )
        np.testing.assert_array_equal(geom.friction, other.friction)
    assert model.get_geom("stripe").half_extents.tolist() == pytest.approx([0.1, 0.2, 0.3])
    assert model.get_geom("paint").mesh_name == everything.get_geom("paint").mesh_name
    assert model.get_geom("paint").shape is Shape.Mesh
    with pytest.raises(AttributeError, match="radius"):
        _ = model.get_geom("stripe").radius


@pytest.mark.parametrize("device", ["cpu", DEVICE])
def test_contacts_of_both_engines_are_numbered_alike(device):
    model = robot()
    data = usdsim.SceneData(model, batch=(2,), device=device)
    low = data.dof_pos
    low[1, 2] = 0.05
    data.dof_pos = low
    core, ground = model.get_geom_index("core"), model.get_geom_index("ground")
    query = model.get_contact_query(data)
    assert (ground, core) == (0, 2)
    assert query.is_colliding([[core, ground], [1, ground]]).tolist() == [
        [False] * 2,
        [True, False],
    ]
    place = model.get_geom("stripe").get_position(data)
    np.testing.assert_allclose(place, [[0.0, 0.0, 1.0], [0.0, 0.0, 0.05]], atol=1e-6)


def test_parameters_of_many_pass_over_what_is_only_looked_at():
    model = robot()
    data = usdsim.SceneData(model, batch=(2,))
    values = np.full((2, 3), 0.7, np.float32)
    for geom in model.geoms:
        geom.set_friction_override(data, values)
    np.testing.assert_array_equal(model.get_geom("core").get_friction_override(data), values)
    kept = model.get_geom("paint").get_friction_override(data)
    np.testing.assert_allclose(kept, np.tile([0.3, 0.0, 0.0], (2, 1)), atol=1e-7)
    model.set_overrides(data, model.geoms, "friction", np.full((4, 3), 0.2))
    assert data.param("geom_friction")[0].tolist() == [[0.2] * 3] * 2
    with pytest.raises(InvalidValueError, match="paint"):
        model.get_geom("paint").set_friction_override(data, [-1.0, 0.0, 0.0])


def test_queries_read_what_is_only_looked_at():
    model = robot()
    data = usdsim.SceneData(model, batch=(2,))
    plan = model.compile_query({"at": usdsim.query.GeomPosition(["stripe", "core", "paint"])})
    found = plan.allocate(data).execute(data)["at"].reshape(2, 3, 3)
    for column, name in enumerate(("stripe", "core", "paint")):
        np.testing.assert_array_equal(found[:, column], model.get_geom(name).get_position(data))


def test_terrain_is_what_the_engine_holds():
    model = robot()
    with pytest.raises(InvalidValueError, match="exact=True"):
        TerrainScanner(model.get_geom("paint"), model.get_link("arm"), [[0.0, 0.0]])


def test_a_pickled_model_knows_names_but_not_looks():
    model = pickle.loads(pickle.dumps(robot()))
    assert model.geom_names == ["ground", "paint", "core", "stripe"]
    with pytest.raises(UnsupportedError, match="exact=True"):
        _ = model.get_geom("paint").size
