"""Deformable curves, attachments and filters as facts: some are read, none are written."""

from __future__ import annotations

from .facts import READ, attributes, schemas

__all__ = ["OTHERS", "SURFACE"]

SURFACE = attributes(
    """
    int2[] restAdjTriPairs
    float[] restBendAngles
""",
    READ,
)

OTHERS = schemas(
    """
OmniPhysicsCurvesDeformableMaterialAPI + OmniPhysicsDeformableMaterialAPI omniphysics: Of curves.
    float curveThickness = 0; curveStretchStiffness = 0; curveBendStiffness = 0
    float curveTwistStiffness = 0
OmniPhysicsCurvesDeformableSimAPI omniphysics: Curves that are simulated.
    point3f[] restShapePoints
    int[] restCrvVtxIndices
    normal3f[] restNormals
OmniPhysicsAttachment < UsdGeomImageable: Points that are held by others.
    bool omniphysics:attachmentEnabled = true
    float omniphysics:stiffness = inf; omniphysics:damping = 0
    rel omniphysics:src0; omniphysics:src1
OmniPhysicsVtxVtxAttachment < OmniUsdPhysicsDeformableSchemaAttachment: Points at points.
    int[] omniphysics:vtxIndicesSrc0; omniphysics:vtxIndicesSrc1
OmniPhysicsVtxTriAttachment < OmniUsdPhysicsDeformableSchemaAttachment: Points in triangles.
    int[] omniphysics:vtxIndicesSrc0; omniphysics:triIndicesSrc1
    vector3f[] omniphysics:triCoordsSrc1
OmniPhysicsVtxTetAttachment < OmniUsdPhysicsDeformableSchemaAttachment: Points in tetrahedra.
    int[] omniphysics:vtxIndicesSrc0; omniphysics:tetIndicesSrc1
    vector3f[] omniphysics:tetCoordsSrc1
OmniPhysicsVtxCrvAttachment < OmniUsdPhysicsDeformableSchemaAttachment: Points on curves.
    int[] omniphysics:vtxIndicesSrc0
    int2[] omniphysics:crvSegIndicesSrc1
    vector3f[] omniphysics:crvSegCoordsSrc1
OmniPhysicsVtxXformAttachment < OmniUsdPhysicsDeformableSchemaAttachment: Points on a prim.
    int[] omniphysics:vtxIndicesSrc0
    point3f[] omniphysics:localPositionsSrc1
OmniPhysicsTetXformAttachment < OmniUsdPhysicsDeformableSchemaAttachment: Tetrahedra on a prim.
    int[] omniphysics:tetIndicesSrc0
    vector3f[] omniphysics:tetCoordsSrc0
    point3f[] omniphysics:localPositionsSrc1
OmniPhysicsTriTriAttachment < OmniUsdPhysicsDeformableSchemaAttachment: Triangles at triangles.
    int[] omniphysics:triIndicesSrc0; omniphysics:triIndicesSrc1
    vector3f[] omniphysics:triCoordsSrc0; omniphysics:triCoordsSrc1
OmniPhysicsElementCollisionFilter < UsdGeomImageable: Elements that do not collide.
    bool omniphysics:filterEnabled = true
    uint[] omniphysics:groupElemCounts0; omniphysics:groupElemCounts1
    uint[] omniphysics:groupElemIndices0; omniphysics:groupElemIndices1
    rel omniphysics:src0; omniphysics:src1
""",
    READ,
    "OmniUsdPhysicsDeformableSchema",
    "OmniPhysics",
)
