"""PngTextures of mesh files come through as they are, each once."""

from __future__ import annotations

import io

import numpy as np
import pytest

from usdsim.math.mesh_files.reading import load_mesh
from usdsim.math.mesh_files.textures import PngTextures

images = pytest.importorskip("PIL.Image")
trimesh = pytest.importorskip("trimesh")


def picture(kind=None):
    """A picture of colours that run into each other, read from a file of a kind if one is named."""
    colours = np.stack(np.mgrid[0:160:10, 0:160:10, 50:51], axis=-1)[:, :, 0].astype(np.uint8)
    image = images.fromarray(colours)
    if kind is None:
        return image, colours, b""
    file = io.BytesIO()
    image.save(file, format=kind)
    return images.open(io.BytesIO(file.getvalue())), colours, file.getvalue()


def pixels(content):
    return np.asarray(images.open(io.BytesIO(content)).convert("RGB"))


def test_content_of_a_png_file_is_kept_as_it_is():
    image, colours, content = picture("PNG")
    assert PngTextures().png(image) == content
    loaded, _, _ = picture("PNG")
    loaded.load()
    np.testing.assert_array_equal(pixels(PngTextures().png(loaded)), colours)


@pytest.mark.parametrize("kind", [None, "BMP", "TIFF"])
def test_other_pictures_become_png(kind):
    image, colours, _ = picture(kind)
    np.testing.assert_array_equal(pixels(PngTextures().png(image)), colours)


def test_a_picture_is_written_once_and_what_is_none_not_at_all():
    textures, (image, _, _) = PngTextures(), picture()
    assert textures.png(image) is textures.png(image)
    assert textures.png(None) is None and textures.png("wood.png") is None


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_meshes_of_a_file_share_the_texture_of_their_material(tmp_path, kind):
    image, _, content = picture(kind)
    material = trimesh.visual.material.PBRMaterial(baseColorTexture=image)
    scene = trimesh.Scene()
    for x in (0.0, 2.0):
        part = trimesh.creation.box(transform=trimesh.transformations.translation_matrix([x, 0, 0]))
        part.visual = trimesh.visual.TextureVisuals(uv=part.vertices[:, :2], material=material)
        scene.add_geometry(part)
    scene.export(tmp_path / "parts.glb")
    parts = load_mesh(tmp_path / "parts.glb")
    assert len(parts) == 2
    first, second = (part.material.texture_png for part in parts)
    assert first == second and first.startswith(b"\x89PNG")
    np.testing.assert_allclose(pixels(first).astype(int), pixels(content).astype(int), atol=8)
