"""MuJoCo dialect of a scene description, put on an `MjSpec`.

How the engine uses it::

    names = element_names(scene)            # prim path -> name in the spec, unique per kind
    apply_options(spec, scene)              # first: compiler, option, flags, visual, sizes
    body = parent.add_body(name=names[...], ...)
    apply_overrides(body, "body", description.overrides, names)   # last for each element
    add_elements(spec, scene, names, places)                      # last of all

`apply_overrides` takes a joint's and its dof's overrides merged. `places[i]` is the spec body of
`scene.bodies[i]`; ``places[-1]``, the last entry, is the world body, so description indices work.
"""

from .compare import ArrayDifference, compare_models, compare_trajectories
from .deformables import keep_skin_weights
from .elements import add_elements
from .meshes import store_as_wavefront
from .names import element_names
from .options import apply_options
from .overrides import apply_overrides
from .tendons import FORCE_SCALE, LIMIT_STIFFNESS, TENDON_OFFSET

__all__ = [
    "FORCE_SCALE",
    "LIMIT_STIFFNESS",
    "TENDON_OFFSET",
    "ArrayDifference",
    "add_elements",
    "apply_options",
    "apply_overrides",
    "compare_models",
    "compare_trajectories",
    "element_names",
    "keep_skin_weights",
    "store_as_wavefront",
]
