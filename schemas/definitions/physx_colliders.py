"""The colliders of PhysxSchema."""

from __future__ import annotations

from .table import INF, POSITIVE, Attr, Schema

__all__ = ["COLLISIONS"]


_COLLISION = Schema(
    "PhysxCollisionAPI",
    "physxCollision",
    "PhysX options of a collider.",
    [
        Attr(
            "float",
            "contactOffset",
            -INF,
            "Contacts are generated below the sum of two colliders' offsets; -inf: chosen by size.",
            "[max(0, restOffset), inf)",
            "distance",
        ),
        Attr(
            "float",
            "restOffset",
            -INF,
            "Colliders rest at the sum of their offsets; -inf: 0.",
            "(-inf, contactOffset]",
            "distance",
        ),
        Attr(
            "float",
            "torsionalPatchRadius",
            0.0,
            "Radius of the patch that gives torsional friction.",
            POSITIVE,
            "distance",
        ),
        Attr("float", "minTorsionalPatchRadius", 0.0, "Least patch radius.", POSITIVE, "distance"),
    ],
)

_WELD = Attr(
    "float",
    "weldTolerance",
    -INF,
    "Vertices closer than this are merged; -inf: chosen by size; 0: none.",
    POSITIVE,
    "distance",
)
_THICKNESS = Attr(
    "float", "minThickness", 0.001, "Least thickness of a hull.", POSITIVE, "distance"
)
_HULL_LIMIT = Attr("int", "hullVertexLimit", 64, "Most vertices of a hull.", "[8, 64]")

COLLISIONS = [
    _COLLISION,
    Schema(
        "PhysxConvexHullCollisionAPI",
        "physxConvexHullCollision",
        "Parameters of a convex hull.",
        [_HULL_LIMIT, _THICKNESS],
    ),
    Schema(
        "PhysxConvexDecompositionCollisionAPI",
        "physxConvexDecompositionCollision",
        "Parameters of a convex decomposition.",
        [
            _HULL_LIMIT,
            Attr("int", "maxConvexHulls", 32, "Most hulls.", "[1, 2048]"),
            _THICKNESS,
            Attr(
                "int", "voxelResolution", 500000, "Voxels of the decomposition.", "[50000, 5000000]"
            ),
            Attr("float", "errorPercentage", 10.0, "Permitted volume error.", "[0, 20]", "percent"),
            Attr("bool", "shrinkWrap", False, "Whether hull points are moved onto the mesh."),
        ],
    ),
    Schema(
        "PhysxTriangleMeshCollisionAPI",
        "physxTriangleMeshCollision",
        "Parameters of a triangle mesh collider.",
        [_WELD],
    ),
    Schema(
        "PhysxTriangleMeshSimplificationCollisionAPI",
        "physxTriangleMeshSimplificationCollision",
        "Parameters of a simplified triangle mesh collider.",
        [
            Attr(
                "float",
                "metric",
                0.55,
                "Accuracy of the simplification.",
                "[0, 1]",
                method="simplificationMetric",
            ),
            _WELD,
        ],
    ),
    Schema(
        "PhysxSphereFillCollisionAPI",
        "physxSphereFillCollision",
        "Parameters of a collider of spheres inside a mesh.",
        [
            Attr("int", "maxSpheres", 128, "Most spheres."),
            Attr("int", "voxelResolution", 50000, "Voxels by which spheres are placed."),
            Attr("int", "seedCount", 1000, "Places that spheres are tried at."),
            Attr(
                "token",
                "fillMode",
                "flood",
                "How the inside is told from the outside.",
                tokens=("flood", "raycast", "surface"),
                uniform=True,
            ),
        ],
    ),
    Schema(
        "PhysxSDFMeshCollisionAPI",
        "physxSDFMeshCollision",
        "Parameters of a signed-distance-field collider.",
        [
            Attr(
                "int",
                "sdfResolution",
                256,
                "Samples along the longest side.",
                "(1, inf)",
                uniform=True,
            ),
            Attr(
                "int",
                "sdfSubgridResolution",
                6,
                "Samples of a sparse block; 0: dense.",
                POSITIVE,
                uniform=True,
            ),
            Attr(
                "float",
                "sdfMargin",
                0.01,
                "Enlargement of the field by the mesh diagonal.",
                POSITIVE,
                uniform=True,
            ),
            Attr(
                "float",
                "sdfNarrowBandThickness",
                0.01,
                "Finely sampled band by the mesh diagonal.",
                "[0, 1]",
                uniform=True,
            ),
            Attr(
                "token",
                "sdfBitsPerSubgridPixel",
                "BitsPerPixel16",
                "Precision of samples.",
                tokens=("BitsPerPixel8", "BitsPerPixel16", "BitsPerPixel32"),
                uniform=True,
            ),
            Attr(
                "bool",
                "sdfEnableRemeshing",
                False,
                "Whether the mesh is remeshed first.",
                uniform=True,
            ),
            Attr(
                "float",
                "sdfTriangleCountReductionFactor",
                1.0,
                "Part of the triangles kept.",
                "[0, 1]",
                uniform=True,
            ),
        ],
    ),
]
