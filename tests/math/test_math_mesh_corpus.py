import numpy as np
import pytest

from usdsim.math.meshes.operations import convex_hull, load_mesh, mesh_mass, volume_properties

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize("suffix", ["obj", "stl"])
def test_volumes_agree_with_trimesh(corpus, suffix):
    import trimesh

    files = sorted(corpus.rglob(f"*.{suffix}"))[::4]
    assert files
    closed = 0
    for file in files:
        meshes = load_mesh(file)
        oracle = trimesh.load_scene(file, process=False).to_mesh()
        oracle.merge_vertices(merge_tex=True, merge_norm=True)
        np.testing.assert_allclose(
            np.vstack([m.points for m in meshes]).min(axis=0), oracle.bounds[0], atol=1e-9
        )
        if not oracle.is_watertight:
            continue
        closed += 1
        volume = sum(
            mesh_mass(1.0, m.points, m.faces).mass * signed(m.points, m.faces) for m in meshes
        )
        box = np.prod(np.maximum(oracle.extents, 1e-9))
        assert volume == pytest.approx(oracle.volume, rel=1e-6, abs=1e-9 * box), file
    assert closed


def signed(points, faces):
    a, b, c = (points[faces[:, i]] - points.mean(axis=0) for i in range(3))
    return np.sign(np.einsum("ij,ij->i", a, np.cross(b, c)).sum())


def test_collada_files_have_volume(corpus):
    for file in sorted(corpus.rglob("*.dae"))[::2]:
        meshes = load_mesh(file)
        points = np.vstack([m.points for m in meshes])
        assert volume_properties(points, [], hull=True).mass > 0.0, file


def test_hulls_hold_every_point(corpus):
    files = sorted(corpus.rglob("*.stl"))[::8] + sorted(corpus.rglob("*.dae"))[::3]
    directions = np.random.default_rng(0).normal(size=(300, 3))
    for file in files:
        points = np.vstack([m.points for m in load_mesh(file)])
        corners, faces = convex_hull(points)
        assert len(corners) - len(faces) // 2 == 2, file
        reach = (points @ directions.T).max(axis=0) - (corners @ directions.T).max(axis=0)
        assert reach.max() <= 1e-5 * np.ptp(points, axis=0).max(), file
        assert volume_properties(corners, faces).mass > 0.0, file
