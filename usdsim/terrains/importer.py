"""Terrain importer: ground on the stage, and the origins of environments on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from usdsim.assets.participation import Simulation, current_simulation
from usdsim.core.arguments import on_host
from usdsim.core.errors import AbsentError, InvalidValueError, StageError
from usdsim.engine.device import init
from usdsim.math.quaternion_order import written_rot
from usdsim.math.rotations import quat_apply, quat_conjugate
from usdsim.parser.report import Report
from usdsim.parser.units import stage_units
from usdsim.spawners import GroundPlaneCfg, UsdFileCfg, grid_origins
from usdsim.views.usable import UsableArray, usable
from usdsim.views.values import to_numpy

from .generator import TerrainGenerator
from .levels import TerrainLevels
from .spawning import spawn_terrain_mesh
from .surfaces import MeshLike, TerrainMesh, as_terrain_mesh

if TYPE_CHECKING:
    from .importer_cfg import TerrainImporterCfg

__all__ = ["TerrainImporter"]


class TerrainImporter:
    """Ground of the current simulation.

    Args:
        cfg: what ground; it stays as it is.

    Attributes:
        cfg: the configuration.
        terrain_prim_paths: prims of what was imported.
        generator: what made the pieces; None: there are none.

    Raises:
        InvalidValueError: a value is missing, or outside what is allowed.
        StageError: there is no simulation, or there are prims where the ground should be.
    """

    def __init__(self, cfg: TerrainImporterCfg):
        cfg.validate()
        init()
        self.cfg = cfg
        self.terrain_prim_paths: list[str] = []
        self.generator: TerrainGenerator | None = None
        self._simulation: Simulation = current_simulation()
        self._levels: TerrainLevels | None = None
        self._grid: Any = None
        self._patches: dict[str, wp.array] = {}
        origins: NDArray[np.float64] | None = None
        if cfg.terrain_generator is not None and cfg.terrain_type == "generator":
            origins = self._generate(cfg.terrain_generator)
        elif cfg.terrain_type == "usd":
            self.import_usd("terrain", str(cfg.usd_path))
        else:
            self.import_ground_plane("terrain")
        self.configure_env_origins(origins if cfg.use_terrain_origins else None)

    # -- what there is -------------------------------------------------------------------------

    @property
    def device(self) -> str:
        """Device of the arrays."""
        return self._simulation.device

    @property
    def terrain_names(self) -> list[str]:
        """Names of what was imported."""
        return [path.rpartition("/")[2] for path in self.terrain_prim_paths]

    @property
    def flat_patches(self) -> dict[str, wp.array]:
        """Level places by name [m], float32, each of shape (rows, columns, n, 3)."""
        return self._patches

    @property
    def size(self) -> tuple[float, float]:
        """Lengths of all pieces with their border along x and y [m]; a plane has no end."""
        cfg = self.cfg.terrain_generator
        if self.generator is None or cfg is None:
            return np.inf, np.inf
        rim = 2.0 * cfg.border_width
        return cfg.num_rows * cfg.size[0] + rim, cfg.num_cols * cfg.size[1] + rim

    @property
    def terrain_origins(self) -> UsableArray | None:
        """Origins of the pieces [m], shape (rows, columns, 3); None: environments are on a grid."""
        return None if self._levels is None else self._levels.terrain_origins

    @property
    def env_origins(self) -> UsableArray:
        """Origins of the environments in world [m], float32, shape (num_envs, 3)."""
        return self._grid if self._levels is None else self._levels.env_origins

    @property
    def terrain_levels(self) -> UsableArray:
        """Row of each environment's piece, int64, shape (num_envs,).

        Raises:
            AbsentError: environments are on a grid.
        """
        return self._on_pieces().terrain_levels

    @property
    def terrain_types(self) -> UsableArray:
        """Column of each environment's piece, int64, shape (num_envs,); see `terrain_levels`."""
        return self._on_pieces().terrain_types

    @property
    def max_terrain_level(self) -> int:
        """Number of rows; see `terrain_levels`."""
        return int(self._on_pieces().terrain_origins.shape[0])

    # -- ground --------------------------------------------------------------------------------

    def import_ground_plane(self, name: str, size: tuple[float, float] = (2.0e3, 2.0e3)) -> None:
        """Add a plane: infinite for physics.

        Args:
            name: of the prim below `cfg.prim_path`.
            size: visible lengths along x and y [m].

        Raises:
            StageError: there is a terrain of this name.
        """
        units = stage_units(self._simulation.stage, Report())
        color = getattr(self.cfg.visual_material, "diffuse_color", (0.25, 0.25, 0.25))
        cfg = GroundPlaneCfg(
            size=tuple(n / units.length for n in size),
            color=color,
            physics_material=self.cfg.physics_material,
        )
        turn = quat_conjugate(units.to_z_up)
        cfg.func(self._new(name), cfg, orientation=written_rot(turn), stage=self._simulation.stage)

    def import_mesh(
        self,
        name: str,
        mesh: MeshLike | Sequence[MeshLike],
        colors: Sequence[NDArray[np.float32] | None] = (),
    ) -> None:
        """Add a mesh, or several, that collide.

        Parts of a mesh that are boxes or a grid of heights collide as such.

        Args:
            name: of the prim below `cfg.prim_path`.
            mesh: in world, with z up [m].
            colors: linear RGB of each mesh's vertices, shape (n, 3); None: the material's.

        Raises:
            StageError: there is a terrain of this name.
        """
        given: Any = mesh if isinstance(mesh, Sequence) else [mesh]
        meshes = [as_terrain_mesh(part) for part in given]
        units = stage_units(self._simulation.stage, Report())
        turn = quat_conjugate(units.to_z_up)
        scaled = [TerrainMesh(quat_apply(turn, m.vertices) / units.length, m.faces) for m in meshes]
        spawn_terrain_mesh(
            self._simulation.stage,
            self._new(name),
            scaled,
            colors,
            self.cfg.visual_material,
            self.cfg.physics_material,
        )

    def import_usd(self, name: str, usd_path: str) -> None:
        """Add a file, with the surfaces it has.

        Args:
            name: of the prim below `cfg.prim_path`.
            usd_path: the file.

        Raises:
            StageError: there is a terrain of this name.
        """
        cfg = UsdFileCfg(usd_path=usd_path)
        cfg.func(self._new(name), cfg, stage=self._simulation.stage)

    # -- origins -------------------------------------------------------------------------------

    def configure_env_origins(self, origins: ArrayLike | None = None) -> None:
        """Set the origins of environments.

        Args:
            origins: of pieces [m], shape (rows, columns, 3): environments begin on a random level
                of their type; None: on a grid.

        Raises:
            InvalidValueError: there is no distance for the grid.
            ShapeError: origins have another shape.
        """
        cfg = self.cfg
        if origins is not None:
            values = np.asarray(on_host(origins))
            self._levels = TerrainLevels(
                values, cfg.num_envs, cfg.max_init_terrain_level, cfg.seed, self.device
            )
            return
        if cfg.env_spacing is None:
            raise InvalidValueError(
                "TerrainImporterCfg.env_spacing", None, "a distance, for environments on a grid"
            )
        self._levels = None
        places = grid_origins(cfg.num_envs, float(cfg.env_spacing)).astype(np.float32)
        self._grid = usable(wp.array(places, dtype=wp.float32, device=self.device))

    def update_env_origins(self, env_ids: Any, move_up: Any, move_down: Any) -> None:
        """Move environments to harder or easier pieces; those past the last level go to any.

        Args:
            env_ids: environments, shape (n,).
            move_up: which of them go to the next level, shape (n,).
            move_down: which of them go to the one before, shape (n,).
        """
        if self._levels is not None:
            self._levels.move(env_ids, move_up, move_down)

    def state_dict(self) -> dict[str, Any]:
        """Levels of environments, for checkpoints."""
        return {} if self._levels is None else self._levels.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Put environments on the levels of a checkpoint."""
        if self._levels is not None and state:
            self._levels.load_state_dict(state)

    # -- inside --------------------------------------------------------------------------------

    def _generate(self, cfg: Any) -> NDArray[np.float64]:
        generator = (cfg.class_type or TerrainGenerator)(cfg=cfg, device=self.device)
        self.generator = generator
        meshes = generator.terrain_meshes
        self.import_mesh("terrain", meshes, [generator.colors(mesh) for mesh in meshes])
        self._patches = {
            name: usable(wp.array(to_numpy(places), dtype=wp.float32, device=self.device))
            for name, places in generator.flat_patches.items()
        }
        return np.asarray(generator.terrain_origins)

    def _on_pieces(self) -> TerrainLevels:
        if self._levels is None:
            raise AbsentError(
                "Environments are on a grid, which has no levels. Generate terrain, and leave "
                "use_terrain_origins on."
            )
        return self._levels

    def _new(self, name: str) -> str:
        path = f"{self.cfg.prim_path}/{name}"
        if path in self.terrain_prim_paths:
            raise StageError(
                f"There is a terrain {name!r} already, among {', '.join(self.terrain_names)}."
            )
        self.terrain_prim_paths.append(path)
        return path
