"""Reading the MuJoCo dialect (``mjc:``) of a stage.

How the parser uses it (one `MujocoReader` per stage)::

    reader = MujocoReader(context)
    options = reader.options()                       # SceneDescription.options, {} if not authored
    body.overrides = reader.overrides(view, "body")  # likewise joint, geom, site, physics material
    found = reader.elements(views)                   # everything only MuJoCo knows

`views` are the stage's prims in stage order (instance proxies included).

Rules the stage layout implies for the parser:

- A prim is a body if it has RigidBodyAPI or the applied schema ``MjcBodyAPI`` (`is_body`); with the
  latter alone it is `BodyDescription.fixed`: rigidly attached to the body above it.
- A Gprim with ``MjcSiteAPI`` is a site (`is_site`), never a geom.
- Nothing at or below a prim for which `is_library` holds is a geom: it is an asset used by
  reference. (Converted stages keep assets under a ``class`` prim, which traversals skip anyway.)
- A geom whose ``mjc:mesh`` relationship is authored uses ``found.meshes[target]`` (`mesh_of`); one
  with ``mjc:hfield`` has kind ``"hfield"`` and uses ``found.height_fields[target]`` (`hfield_of`).
- Prims in `found.owned` are described completely by `found`: no joint, group, or geom beside them.
- Joints that a constraint couples keep no `MimicDescription`; pairs in `found.filtered` (of body
  prim paths) are excludes already and must not appear in `body_filters`; dofs that actuators
  drive keep no `DriveDescription`.
- A generic PhysicsJoint with ``mjc:type = "free"`` (`is_free_joint`) is kind ``"free"``. A disabled
  one says so too, of a body that nothing else holds.
- Once all bodies are described, `adjust_masses` does what the scene says about their masses.
- References inside overrides are prim paths; the engine turns them into names.
"""

from .collect import MujocoElements
from .keyframes import with_fitting_keyframes
from .masses import adjust_masses
from .missing import without_dangling
from .prims import (
    hfield_of,
    is_body,
    is_derived,
    is_free_joint,
    is_library,
    is_site,
    library_of,
    mesh_of,
)
from .reader import MujocoReader
from .restated import COLOURS, goes_first

__all__ = [
    "COLOURS",
    "MujocoElements",
    "MujocoReader",
    "adjust_masses",
    "goes_first",
    "hfield_of",
    "is_body",
    "is_derived",
    "is_free_joint",
    "is_library",
    "is_site",
    "library_of",
    "mesh_of",
    "with_fitting_keyframes",
    "without_dangling",
]
