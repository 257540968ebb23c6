"""Rows of assets and of what is deformable."""

from __future__ import annotations

from .mjc import MjcRow, choice, flag, link, number, part, text, whole
from .mjc_tokens import BUILTIN, COLORSPACE, FLEX_SECTION, FLEX_SELF, MARK, MESH_INERTIA, TEXTURE

__all__ = ["FLEX", "HFIELD", "MATERIAL", "MESH", "PRIMVARS", "SKIN", "TEXTURE_ROWS"]

MESH: tuple[MjcRow, ...] = (
    part("scale", "double3", doc="Factor on the source points."),
    part("refpos", "double3", unit="m", doc="Origin in the source points."),
    part("refquat", "quatd", doc="Axes in the source points."),
    choice("inertia", MESH_INERTIA, api="MjcMeshCollisionAPI", stated=True,
           doc="How inertia is inferred."),
    flag("smoothnormal", doc="Smooth normals across sharp edges."),
    flag("needsdf", doc="Compute a signed distance field."),
    whole("maxhullvert", api="MjcMeshCollisionAPI", doc="Most vertices of the hull; -1: any."),
    whole("octreeMaxDepth", "octree_maxdepth", doc="Depth of the octree."),
    part("normals", "float[]", "usernormal", doc="Source normals."),
    part("normals:indices", "int[]", "userfacenormal", doc="Normals of corners."),
    part("texcoords", "float[]", "usertexcoord", doc="Source texture coordinates."),
    part("texcoords:indices", "int[]", "userfacetexcoord",
         doc="Texture coordinates of corners."),
    part("nodes", "double[]", "usernode", doc="Nodes of the volume mesh."),
    part("tets", "int[]", "usertet", doc="Cells of the volume mesh."),
    part("content", "uchar[]", doc="A file only the engine's compiler can read."),
    text("contentName", "file", doc="Name of that file."),
    # Geoms reference the asset's prim: what they have too needs a name of its own here.
    link("meshMaterial", "material", doc="Material the file asks for."),
    link("meshPlugin", "plugin", doc="Plugin instance that makes the mesh."),
)  # fmt: skip
"""Mesh asset."""

PRIMVARS = {
    "normals": ("usernormal", "userfacenormal"),
    "st": ("usertexcoord", "userfacetexcoord"),
}
"""Fields of a spec's mesh that have the values of a primvar, and which of them each corner has."""

HFIELD: tuple[MjcRow, ...] = (
    part("size", "double4", model="hfield_size", unit="m",
         doc="Half extents x and y, height of elevation 1, depth of the base."),
    whole("rows", "nrow", "hfield_nrow", doc="Rows of the grid, along y."),
    whole("columns", "ncol", "hfield_ncol", doc="Columns of the grid, along x."),
    part("elevation", "float[]", "userdata", doc="Elevations in [0, 1], row by row."),
)  # fmt: skip
"""Height field asset."""

TEXTURE_ROWS: tuple[MjcRow, ...] = (
    choice("type", TEXTURE, doc="Kind of texture."),
    choice("colorspace", COLORSPACE, doc="Colour space of the file."),
    choice("builtin", BUILTIN, doc="Procedural pattern."),
    choice("mark", MARK, doc="Procedural mark."),
    part("rgb1", "double3", doc="First colour of the pattern."),
    part("rgb2", "double3", doc="Second colour of the pattern."),
    part("markrgb", "double3", doc="Colour of the marks."),
    number("random", doc="Density of random marks."),
    whole("height", unit="px", doc="Height."),
    whole("width", unit="px", doc="Width."),
    whole("nchannel", doc="Channels."),
    part("gridsize", "int2", doc="Rows and columns of a composite image."),
    text("gridlayout", doc="Face in each cell of a composite image."),
    flag("hflip", doc="Flip horizontally."),
    flag("vflip", doc="Flip vertically."),
    text("contentType", "content_type", doc="Content type of the files."),
    part("pixels", "uchar[]", "data", doc="Raw pixels."),
    part("file", "asset", doc="Image file."),
    part("cubefiles", "asset[]", doc="Image files of the six faces."),
    part("content", "uchar[]", doc="Bytes of an image file kept in the stage."),
)  # fmt: skip
"""Texture asset."""

MATERIAL: tuple[MjcRow, ...] = (
    flag("texuniform", model="mat_texuniform", doc="Uniform texture cube."),
    part("texrepeat", "float2", model="mat_texrepeat", doc="Repetitions."),
    number("emission", model="mat_emission", doc="Emission."),
    number("specular", model="mat_specular", doc="Specularity."),
    number("shininess", model="mat_shininess", doc="Shininess."),
    number("reflectance", model="mat_reflectance", doc="Mirror reflectance."),
    number("metallic", model="mat_metallic", doc="Metallicity."),
    number("roughness", model="mat_roughness", doc="Roughness."),
    part("rgba", "float[]", model="mat_rgba", stated=True, doc="Colour."),
)  # fmt: skip
"""Render material."""

SKIN: tuple[MjcRow, ...] = (
    part("vertices", "float[]", "vert", unit="m", doc="Vertices in the bind pose."),
    part("texcoords", "float[]", "texcoord", doc="Texture coordinates."),
    part("faces", "int[]", "face", doc="Triangle corners."),
    link("bodies", "bodyname", many=True, doc="Bones."),
    part("bind:pos", "float[]", "bindpos", unit="m", doc="Bone positions in the bind pose."),
    part("bind:quat", "float[]", "bindquat", doc="Bone orientations in the bind pose, wxyz."),
    part("bones:counts", "int[]", doc="Vertices of each bone."),
    part("bones:vertices", "int[]", "vertid", doc="Vertices the bones move."),
    part("bones:weights", "float[]", "vertweight", doc="Weights of these."),
    number("inflate", model="skin_inflate", unit="m", doc="Offset along normals."),
    part("rgba", "float[]", model="skin_rgba", doc="Colour."),
    whole("group", model="skin_group", doc="Group."),
    link("material", model="skin_matid", doc="Material."),
)  # fmt: skip
"""Skin."""

FLEX: tuple[MjcRow, ...] = (
    whole("contype", doc="Collision bits it has."),
    whole("conaffinity", doc="Collision bits it collides with."),
    whole("condim", doc="Dimensions of its contacts."),
    whole("priority", doc="Whose contact parameters win."),
    part("friction", "double3", doc="Sliding, torsional, rolling."),
    number("solmix", doc="Weight of its solver parameters."),
    part("solref", "double[]", doc="Solver: contact."),
    part("solimp", "double[]", doc="Solver: contact."),
    number("margin", unit="m", doc="Inflation for contact."),
    number("gap", unit="m", doc="Distance of inactive contacts."),
    whole("dim", doc="1: lines, 2: triangles, 3: tetrahedra."),
    number("radius", unit="m", doc="Radius around elements."),
    part("size", "double3", unit="m", doc="Half sizes of the vertices' box."),
    flag("flatskin", doc="Flat shading."),
    choice("selfcollide", FLEX_SELF, doc="Self-collision."),
    whole("passive", doc="Passive collisions."),
    whole("activelayers", doc="Layers that collide."),
    whole("group", doc="Group."),
    number("edgestiffness", doc="Stiffness of edges."),
    number("edgedamping", doc="Damping of edges."),
    part("rgba", "float[]", doc="Colour."),
    link("material", many=True, doc="Materials."),
    number("young", unit="Pa", doc="Young's modulus."),
    number("poisson", doc="Poisson's ratio."),
    number("shear", unit="Pa", doc="Torsional shear modulus."),
    number("damping", doc="Rayleigh damping."),
    number("thickness", unit="m", doc="Thickness of shells."),
    part("stressyield", "double2", doc="Yield strains."),
    whole("elastic2d", doc="Forces of shells."),
    whole("elastic3d", doc="Material of solids."),
    choice("section", FLEX_SECTION, doc="Cross-section of rods."),
    part("sectionsize", "double2", unit="m", doc="Half sizes of the section."),
    part("cellcount", "int3", doc="Cells of the grid."),
    whole("order", doc="Interpolation order."),
    link("nodeBodies", "nodebody", many=True, doc="Bodies of the nodes."),
    link("vertexBodies", "vertbody", many=True, doc="Bodies of the vertices."),
    part("nodeBodies:indices", "int[]", doc="Order of the nodes' bodies."),
    part("vertexBodies:indices", "int[]", doc="Order of the vertices' bodies."),
    part("nodes", "double[]", "node", unit="m", doc="Nodes in their bodies."),
    part("vertices", "double[]", "vert", unit="m", doc="Vertices in their bodies."),
    part("elements", "int[]", "elem", doc="Corners of elements."),
    part("texcoords", "float[]", "texcoord", doc="Texture coordinates."),
    part("texcoords:indices", "int[]", "elemtexcoord", doc="Of corners."),
)  # fmt: skip
"""Flexible body."""
