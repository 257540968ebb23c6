"""Mesh colliders: approximations, and their cooking."""

from __future__ import annotations

from typing import ClassVar

from pxr import Usd

from usdsim.core.dialects.mjc_tokens import MESH_INERTIA
from usdsim.core.errors import InvalidValueError
from usdsim.schemas.authoring.family import Family
from usdsim.schemas.authoring.result import SchemaResult
from usdsim.schemas.authoring.table import Target, attribute, attributes_of
from usdsim.usd.schemas import has_api

from .cfg import SchemaCfg, schema_cfg

__all__ = [
    "APPROXIMATIONS",
    "BoundingCubePropertiesCfg",
    "BoundingSpherePropertiesCfg",
    "ConvexDecompositionPropertiesCfg",
    "ConvexHullPropertiesCfg",
    "MeshCollisionBaseCfg",
    "MujocoMeshCollisionPropertiesCfg",
    "NewtonMeshCollisionPropertiesCfg",
    "NewtonSDFCollisionPropertiesCfg",
    "PhysxConvexDecompositionPropertiesCfg",
    "PhysxConvexHullPropertiesCfg",
    "PhysxSDFMeshPropertiesCfg",
    "PhysxTriangleMeshPropertiesCfg",
    "PhysxTriangleMeshSimplificationPropertiesCfg",
    "SDFMeshPropertiesCfg",
    "SphereFillPropertiesCfg",
    "TriangleMeshPropertiesCfg",
    "TriangleMeshSimplificationPropertiesCfg",
    "define_mesh_collision_properties",
    "modify_mesh_collision_properties",
    "read_mesh_collision_properties",
]

APPROXIMATIONS = (
    "none",
    "boundingCube",
    "boundingSphere",
    "convexDecomposition",
    "convexHull",
    "meshSimplification",
    "sdf",
    "sphereFill",
)
"""Permitted values of ``physics:approximation``; ``none`` is the triangle mesh itself."""

_API = "PhysicsMeshCollisionAPI"
_HULL = "PhysxConvexHullCollisionAPI"
_decomposition = attributes_of("PhysxConvexDecompositionCollisionAPI")
_SIMPLIFICATION = "PhysxTriangleMeshSimplificationCollisionAPI"
_sdf = attributes_of("PhysxSDFMeshCollisionAPI")
_spheres = attributes_of("PhysxSphereFillCollisionAPI")
_newton_sdf = attributes_of("NewtonSDFCollisionAPI")

_VERTEX_TARGETS = (
    Target("newton:maxHullVertices", "NewtonMeshCollisionAPI", "int"),
    Target("mjc:maxhullvert", "MjcMeshCollisionAPI", "int"),
)

MESH_COLLISION = Family("mesh collider", _API)


@schema_cfg
class MeshCollisionBaseCfg(SchemaCfg):
    """Approximation of a mesh collider."""

    approximation: ClassVar[str] = ""
    """The approximation a class stands for; empty: `mesh_approximation_name` decides."""

    mesh_approximation_name: str | None = attribute(
        "physics:approximation",
        "How the mesh is approximated.",
        api=_API,
        tokens=APPROXIMATIONS,
    )

    def __post_init__(self) -> None:
        if self.mesh_approximation_name is None and self.approximation:
            self.mesh_approximation_name = self.approximation

    def validate(self) -> None:
        """Check every value.

        Raises:
            InvalidValueError: a value, or the class's approximation, is not allowed.
        """
        super().validate()
        if self.approximation and self.mesh_approximation_name != self.approximation:
            raise InvalidValueError(
                f"{type(self).__name__}.mesh_approximation_name",
                self.mesh_approximation_name,
                self.approximation,
                "Use the configuration of that approximation.",
            )


@schema_cfg
class BoundingCubePropertiesCfg(MeshCollisionBaseCfg):
    """The mesh collides as its bounding box."""

    approximation: ClassVar[str] = "boundingCube"


@schema_cfg
class BoundingSpherePropertiesCfg(MeshCollisionBaseCfg):
    """The mesh collides as its bounding sphere."""

    approximation: ClassVar[str] = "boundingSphere"


@schema_cfg
class ConvexHullPropertiesCfg(MeshCollisionBaseCfg):
    """The mesh collides as its convex hull."""

    approximation: ClassVar[str] = "convexHull"

    hull_vertex_limit: int | None = attribute(
        "physxConvexHullCollision:hullVertexLimit",
        "Most vertices of the hull.",
        api=_HULL,
        range="[4, inf)",
        also=_VERTEX_TARGETS,
    )
    min_thickness: float | None = attribute(
        "physxConvexHullCollision:minThickness",
        "Least thickness of the hull [m].",
        api=_HULL,
        unit="distance",
        range="[0, inf)",
    )


@schema_cfg
class ConvexDecompositionPropertiesCfg(MeshCollisionBaseCfg):
    """The mesh collides as several convex parts."""

    approximation: ClassVar[str] = "convexDecomposition"

    hull_vertex_limit: int | None = _decomposition(
        "physxConvexDecompositionCollision:hullVertexLimit",
        "Most vertices of a part.",
        range="[4, inf)",
        also=_VERTEX_TARGETS,
    )
    max_convex_hulls: int | None = _decomposition(
        "physxConvexDecompositionCollision:maxConvexHulls", "Most parts.", range="[1, inf)"
    )
    min_thickness: float | None = _decomposition(
        "physxConvexDecompositionCollision:minThickness",
        "Least thickness of a part [m].",
        unit="distance",
        range="[0, inf)",
    )
    voxel_resolution: int | None = _decomposition(
        "physxConvexDecompositionCollision:voxelResolution",
        "Voxels the mesh is divided into.",
        range="[1, inf)",
    )
    error_percentage: float | None = _decomposition(
        "physxConvexDecompositionCollision:errorPercentage",
        "Permitted error of the volume [percent].",
        range="[0, 100]",
    )
    shrink_wrap: bool | None = _decomposition(
        "physxConvexDecompositionCollision:shrinkWrap",
        "Whether points of the parts are moved onto the mesh.",
    )


@schema_cfg
class TriangleMeshPropertiesCfg(MeshCollisionBaseCfg):
    """The mesh collides as it is."""

    approximation: ClassVar[str] = "none"

    weld_tolerance: float | None = attribute(
        "physxTriangleMeshCollision:weldTolerance",
        "Vertices closer than this are merged [m].",
        api="PhysxTriangleMeshCollisionAPI",
        unit="distance",
        range="[0, inf)",
    )


@schema_cfg
class TriangleMeshSimplificationPropertiesCfg(MeshCollisionBaseCfg):
    """The mesh collides with fewer triangles."""

    approximation: ClassVar[str] = "meshSimplification"

    simplification_metric: float | None = attribute(
        "physxTriangleMeshSimplificationCollision:metric",
        "Accuracy, 0 to 1.",
        api=_SIMPLIFICATION,
        range="[0, 1]",
    )
    weld_tolerance: float | None = attribute(
        "physxTriangleMeshSimplificationCollision:weldTolerance",
        "Vertices closer than this are merged [m].",
        api=_SIMPLIFICATION,
        unit="distance",
        range="[0, inf)",
    )


@schema_cfg
class SDFMeshPropertiesCfg(MeshCollisionBaseCfg):
    """The mesh collides through a signed distance field."""

    approximation: ClassVar[str] = "sdf"

    sdf_margin: float | None = _sdf(
        "physxSDFMeshCollision:sdfMargin",
        "Enlargement of the field, in mesh diagonals.",
        range="[0, inf)",
    )
    sdf_narrow_band_thickness: float | None = _sdf(
        "physxSDFMeshCollision:sdfNarrowBandThickness",
        "Finely sampled band, in mesh diagonals.",
        range="[0, 1]",
    )
    sdf_resolution: int | None = _sdf(
        "physxSDFMeshCollision:sdfResolution", "Samples along the longest side.", range="[2, inf)"
    )
    sdf_subgrid_resolution: int | None = _sdf(
        "physxSDFMeshCollision:sdfSubgridResolution",
        "Samples of a sparse block; 0: dense.",
        range="[0, inf)",
    )


@schema_cfg
class SphereFillPropertiesCfg(MeshCollisionBaseCfg):
    """The mesh collides as spheres inside it."""

    approximation: ClassVar[str] = "sphereFill"

    max_spheres: int | None = _spheres(
        "physxSphereFillCollision:maxSpheres", "Most spheres.", range="[1, inf)"
    )
    voxel_resolution: int | None = _spheres(
        "physxSphereFillCollision:voxelResolution",
        "Voxels by which spheres are placed.",
        range="[1, inf)",
    )
    seed_count: int | None = _spheres(
        "physxSphereFillCollision:seedCount", "Places that spheres are tried at.", range="[1, inf)"
    )
    fill_mode: str | None = _spheres(
        "physxSphereFillCollision:fillMode",
        "How the inside is told from the outside.",
        tokens=("flood", "raycast", "surface"),
    )


@schema_cfg
class NewtonMeshCollisionPropertiesCfg(MeshCollisionBaseCfg):
    """Convex hulls in the Newton dialect."""

    max_hull_vertices: int | None = attribute(
        "newton:maxHullVertices",
        "Most vertices of the hull; -1: no limit.",
        api="NewtonMeshCollisionAPI",
        range="[-1, inf)",
    )


@schema_cfg
class NewtonSDFCollisionPropertiesCfg(MeshCollisionBaseCfg):
    """Signed distance fields in the Newton dialect."""

    sdf_max_resolution: int | None = _newton_sdf(
        "newton:sdfMaxResolution",
        "Samples along the longest side, a multiple of 8.",
        range="[8, inf)",
    )
    sdf_target_voxel_size: float | None = _newton_sdf(
        "newton:sdfTargetVoxelSize",
        "Distance of samples [m].",
        unit="distance",
        range="(0, inf)",
    )
    sdf_narrow_band_inner: float | None = _newton_sdf(
        "newton:sdfNarrowBandInner",
        "Inner end of the sampled band [m], negative.",
        unit="distance",
        range="(-inf, 0]",
    )
    sdf_narrow_band_outer: float | None = _newton_sdf(
        "newton:sdfNarrowBandOuter",
        "Outer end of the sampled band [m].",
        unit="distance",
        range="[0, inf)",
    )
    sdf_texture_format: str | None = _newton_sdf(
        "newton:sdfTextureFormat",
        "Precision of samples.",
        tokens=("uint8", "uint16", "float32"),
    )
    sdf_padding: float | None = _newton_sdf(
        "newton:sdfPadding",
        "Enlargement of the field [m].",
        unit="distance",
        range="[0, inf)",
    )
    hydroelastic_enabled: bool | None = _newton_sdf(
        "newton:hydroelasticEnabled", "Whether contact is hydroelastic."
    )
    hydroelastic_stiffness: float | None = _newton_sdf(
        "newton:hydroelasticStiffness",
        "Stiffness of hydroelastic contact [Pa].",
        unit="pressure",
        range="(0, inf)",
    )

    def validate(self) -> None:
        """Check every value.

        Raises:
            InvalidValueError: a value is not allowed.
        """
        super().validate()
        if self.sdf_max_resolution is not None and self.sdf_max_resolution % 8:
            raise InvalidValueError(
                "sdf_max_resolution", self.sdf_max_resolution, "a multiple of 8"
            )


@schema_cfg
class MujocoMeshCollisionPropertiesCfg(MeshCollisionBaseCfg):
    """Mesh colliders in the MuJoCo dialect."""

    inertia: str | None = attribute(
        "mjc:inertia",
        "How the mesh's inertia is computed.",
        api="MjcMeshCollisionAPI",
        tokens=MESH_INERTIA,
    )
    maxhullvert: int | None = attribute(
        "mjc:maxhullvert",
        "Most vertices of the hull; -1: no limit.",
        api="MjcMeshCollisionAPI",
        range="[-1, inf)",
    )


PhysxConvexDecompositionPropertiesCfg = ConvexDecompositionPropertiesCfg
PhysxConvexHullPropertiesCfg = ConvexHullPropertiesCfg
PhysxSDFMeshPropertiesCfg = SDFMeshPropertiesCfg
PhysxTriangleMeshPropertiesCfg = TriangleMeshPropertiesCfg
PhysxTriangleMeshSimplificationPropertiesCfg = TriangleMeshSimplificationPropertiesCfg


def define_mesh_collision_properties(
    prim_path: str, cfg: MeshCollisionBaseCfg, stage: Usd.Stage | None = None
) -> SchemaResult:
    """Make a prim a collider with a mesh approximation.

    Args:
        prim_path: the prim.
        cfg: the approximation; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.

    Raises:
        ValueError: there is no such prim, or a value is not allowed.
    """
    return MESH_COLLISION.define(prim_path, cfg, stage)


def modify_mesh_collision_properties(
    prim_path: str,
    cfg: MeshCollisionBaseCfg,
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Change how mesh colliders at and below a prim are approximated.

    Args:
        prim_path: where to begin.
        cfg: the approximation; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.
        subtree: whether to go on below the first mesh collider of each branch.
        uninstance: whether to make instances editable instead of skipping them.

    Returns:
        What was changed and skipped; true if there was a mesh collider.

    Raises:
        ValueError: there is no such prim, or a value is not allowed.
    """
    return MESHES.modify(prim_path, cfg, stage, subtree=subtree, uninstance=uninstance)


def read_mesh_collision_properties(
    prim_path: str,
    cfg_type: type[MeshCollisionBaseCfg] = MeshCollisionBaseCfg,
    stage: Usd.Stage | None = None,
) -> MeshCollisionBaseCfg:
    """The configuration a mesh collider's authored attributes amount to."""
    return MESH_COLLISION.read(prim_path, cfg_type, stage)


class _MeshFamily(Family):
    """Also counts colliding meshes whose approximation is not authored yet."""

    def matches(self, prim: Usd.Prim, cfg: MeshCollisionBaseCfg) -> bool:
        return has_api(prim, _API) or (
            str(prim.GetTypeName()) == "Mesh" and has_api(prim, "PhysicsCollisionAPI")
        )


MESHES = _MeshFamily("mesh collider")
