"""Writes the page of every physics attribute: whether it acts, is a note, or is refused by strict.

Nothing is listed by hand: each attribute is authored on a small stage, and the report is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pages import table, write
from pxr import Gf, Plug, Sdf, Tf, Usd, UsdPhysics

from usdsim.core.dialects.physx import FOREIGN_PREFIXES
from usdsim.core.errors import ParseError
from usdsim.parser import parse_stage

FAMILIES = {"Physics": "UsdPhysics", "Newton": "Newton", "Physx": "PhysX", "Mjc": "MuJoCo"}
HOSTS = {
    "Deformable": None,
    "DistanceJoint": "/reach",
    "PhysxForce": "/a",
    "NeuralControl": None,
    "Scene": "/scene",
    "Model": "/scene",
    "MeshCollision": "/m",
    "ConvexHull": "/m",
    "ConvexDecomposition": "/m",
    "SphereFill": "/spheres",
    "Camera": "/camera",
    "Light": "/light",
    "Library": "/other",
    "Equality": "/weld",
    "Articulation": "/a",
    "RigidBody": "/c",
    "Mass": "/a",
    "ContactReport": "/a",
    "Body": "/a",
    "Material": "/rubber",
    "Control": "/motor",
    "Clamping": "/motor",
    "ActuatorDelay": "/motor",
    "Tendon": None,
    "Filtering": "/group",
    "Site": "/a/site",
    "Collision": "/a/g",
    "Imageable": "/a/g",
    "FilteredPairs": "/a/g",
    "PhysicsLimit": "/d6",
    "Joint": "/j",
    "Mimic": "/j",
    "Limit": "/j",
    "Drive": "/j",
}
"""Prim that has schemas with a word in their name; the first word counts, None is left out."""
STAGE = """#usda 1.0
( metersPerUnit = 1
  upAxis = "Z" )
def PhysicsScene "scene" {
}
def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI"]) {
    def Cube "g" (prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]) {
        rel material:binding:physics = </rubber>
    }
    def Sphere "site" (prepend apiSchemas = ["MjcSiteAPI"]) {
    }
}
def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {
    double3 xformOp:translate = (0, 0, 5)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def Cube "c" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]) {
    double3 xformOp:translate = (0, 0, 15)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def PhysicsRevoluteJoint "j" (prepend apiSchemas = ["PhysicsDriveAPI:angular"]) {
    rel physics:body0 = </a>
    rel physics:body1 = </b>
    point3f physics:localPos0 = (0, 0, 5)
}
def PhysicsJoint "d6" {
    rel physics:body0 = </a>
    rel physics:body1 = </b>
    bool physics:excludeFromArticulation = 1
}
def PhysicsDistanceJoint "reach" {
    rel physics:body0 = </a>
    rel physics:body1 = </b>
    float physics:maxDistance = 9
    bool physics:excludeFromArticulation = 1
}
def PhysicsFixedJoint "weld" {
    rel physics:body1 = </a>
    bool physics:excludeFromArticulation = 1
}
def Mesh "m" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]) {
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    uniform token physics:approximation = "convexHull"
}
def Mesh "spheres" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]) {
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    uniform token physics:approximation = "sphereFill"
}
def Material "rubber" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {
}
def PhysicsCollisionGroup "group" {
    rel collection:colliders:includes = </a/g>
}
def NewtonActuator "motor" (prepend apiSchemas = ["NewtonPDControlAPI"]) {
    rel newton:targets = </j>
}
def Camera "camera" {
}
def SphereLight "light" {
}
def Xform "other" {
}
"""
COMPILER = ("mjc:compiler:angle", "mjc:compiler:autoLimits")
"""Settings of MuJoCo's compiler that say how to read numbers; others are part of the numbers."""
_INSTANCE = "__INSTANCE_NAME__"
MEANING = {
    "acts": "changes the simulation, or is checked",
    "note": "another engine's solver setting; noted, nothing else",
    "refused": "has no effect; a warning, and an error with `strict=True`",
    "stays": "no physics by itself; stays on the stage",
}


def schemas() -> Iterator[tuple[str, str]]:
    """Names of physics schemas and how they are applied."""
    for kind in Plug.Registry.GetAllDerivedTypes(Tf.Type.FindByName("UsdSchemaBase")):
        name = Usd.SchemaRegistry.GetSchemaTypeName(kind)
        if name.startswith(tuple(FAMILIES)):
            yield name, Usd.SchemaRegistry.GetSchemaKind(name).name


def host_of(name: str, kind: str, stage: Usd.Stage) -> tuple[Usd.Prim, str] | None:
    """A prim that has a schema, and the instance name of it; None where none fits the stage."""
    word = next((word for word in HOSTS if word in name), "")
    if kind == "ConcreteTyped":
        known = [prim for prim in stage.Traverse() if prim.GetTypeName() == name]
        if known:
            return known[0], ""
        if not UsdPhysics.Joint(stage.DefinePrim("/host", name)):
            stage.RemovePrim("/host")
            return None
        joint = UsdPhysics.Joint.Get(stage, "/host")
        joint.CreateBody0Rel().SetTargets(["/a"])
        joint.CreateBody1Rel().SetTargets(["/b"])
        for path in ("/j", "/motor"):
            stage.RemovePrim(path)
        return joint.GetPrim(), ""
    path = HOSTS.get(word)
    if path is None:
        return None
    instance = {"/d6": "rotX"}.get(path, "angular") if kind == "MultipleApplyAPI" else ""
    prim = stage.GetPrimAtPath(path)
    prim.AddAppliedSchema(f"{name}:{instance}" if instance else name)
    return prim, instance


def attributes(name: str) -> list[str]:
    """Attributes and relationships that a schema itself defines, without those of its bases."""
    registry = Usd.SchemaRegistry()
    find = registry.FindConcretePrimDefinition, registry.FindAppliedAPIPrimDefinition
    definition = find[0](name) or find[1](name)
    prefixes = ("physics:", "physx", "newton:", "mjc:", "drive:", "limit:", "state:")
    return sorted(n for n in definition.GetPropertyNames() if n.startswith(prefixes))


def status(name: str, kind: str, attribute: str) -> str | None:
    """What authoring an attribute does: a key of `MEANING`; None where it cannot be tried."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(STAGE)
    stage = Usd.Stage.Open(layer)
    host = host_of(name, kind, stage)
    if host is None:
        return None
    attribute = attribute.replace(_INSTANCE, host[1])
    if not _author(host[0], attribute):
        return None
    path = host[0].GetPath().pathString
    try:
        report = parse_stage(stage).report
    except ParseError as error:
        return "acts" if any(f.attribute == attribute for f in error.findings) else None
    about = [f for f in report.findings if f.path == path and f.attribute == attribute]
    if any(finding.code == "foreign-setting" for finding in about):
        return "note"
    if any(finding.code == "unsupported" for finding in about):
        return "refused"
    if attribute.startswith("mjc:compiler:") and attribute not in COMPILER:
        return "stays"
    is_mujoco = attribute.startswith("mjc:")
    return "acts" if is_mujoco or attribute in report.read.get(path, ()) else "stays"


def _author(prim: Usd.Prim, name: str) -> bool:
    """Author a property with a value that is not its fallback; whether there is one."""
    relationship = prim.GetRelationship(name)
    if relationship:
        return bool(relationship.HasAuthoredTargets() or relationship.SetTargets(["/a"]))
    attribute = prim.GetAttribute(name)
    value = attribute.Get() if attribute else None
    if attribute and value is None:
        value = attribute.GetTypeName().defaultValue
    tokens = attribute.GetMetadata("allowedTokens") if attribute else None
    if tokens:
        other = next((token for token in tokens if token != value), tokens[0])
        return bool(attribute.Set([other] if attribute.GetTypeName().isArray else other))
    kinds = {bool: lambda v: not v, int: lambda v: v + 1, float: _other_number}
    change = kinds.get(type(value))
    if change is not None:
        return bool(attribute.Set(change(value)))
    if isinstance(value, Gf.Vec3f | Gf.Vec3d):
        return bool(attribute.Set(type(value)(0.5)))
    return bool(attribute and value is not None and attribute.Set(value))


def _other_number(value: float) -> float:
    return 0.5 if not abs(value) < 1e30 or value == 0.0 else 0.5 * value


def coverage() -> dict[str, list[tuple[str, str, str]]]:
    """Schema, attribute and status by family."""
    found: dict[str, list[tuple[str, str, str]]] = {family: [] for family in FAMILIES}
    done = set()
    for name, kind in sorted(schemas()):
        family = next(f for f in sorted(FAMILIES, key=len, reverse=True) if name.startswith(f))
        for attribute in attributes(name):
            result = None if attribute in done else status(name, kind, attribute)
            if result is not None:
                done.add(attribute)
                found[family].append((name, attribute, result))
    return found


def write_coverage(folder: Path) -> None:
    """Write ``coverage.md`` into `folder`."""
    parts = [
        "# Attributes that act\n",
        "What authoring each attribute does, found by authoring it on a small stage and asking\n"
        "the report. Attributes of deformable bodies, tendons and neural controllers need more\n"
        "than a small stage; their pages say what they do.\n",
        table(("says", "means"), [(f"*{key}*", text) for key, text in MEANING.items()]),
        "Of PhysX and Newton's solvers, every attribute that begins with one of these is a note,\n"
        "whether its schema is known or not; any other one that is not listed is refused:\n",
        ", ".join(f"`{prefix}`" for prefix in FOREIGN_PREFIXES) + ".\n",
    ]
    for family, rows in coverage().items():
        parts.append(f"## {FAMILIES[family]}\n")
        listed = [
            (f"`{schema}`", f"`{name.replace(_INSTANCE, '<axis>')}`", says)
            for schema, name, says in rows
        ]
        parts.append(table(("schema", "attribute", "says"), listed))
    write(folder, {"coverage.md": "\n".join(parts)})
