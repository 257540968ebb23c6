"""Import names of Isaac Lab's eras and of MotrixSim, and where their contents are found here."""

from __future__ import annotations

__all__ = ["ABSENT", "FILES", "FORMER", "MODULES", "PREFIXES", "SIMULATORS"]

PREFIXES = {
    "isaaclab": "",
    "isaaclab_physx": "",
    "isaaclab_newton": "",
    "isaaclab_contrib": "",
    "isaaclab_ovphysx": "",
    "isaaclab_assets": "robots",
    "isaaclab_rl": "rl",
    "isaaclab_tasks": "tasks",
    "isaaclab_teleop": "devices",
    "isaaclab_ov": "renderers",
    "isaaclab_ppisp": "renderers",
    "isaaclab_mimic": "devices",
    "isaaclab_visualizers": "devices",
    "omni.isaac.lab": "",
    "omni.isaac.lab_assets": "robots",
    "omni.isaac.lab_tasks": "tasks",
    "omni": "omni",
    "carb": "carb",
    "isaacsim": "isaacsim",
    "motrixsim": "motrixsim",
    "pxr.PhysicsSchemaTools": "omni",
    "pxr.PhysxSchema": "applied_schemas",
    "pxr.Semantics": "applied_schemas",
    "toml": "toml",
}
"""Packages by name, and the entry of `MODULES` that each is; modules in it are below that entry.
Where several fit, the first does."""

FORMER = {
    "omni.isaac.lab_assets": "isaaclab_assets",
    "omni.isaac.lab_tasks": "isaaclab_tasks",
}
"""Names that packages had, and those that they have: where these are installed, they are both."""

SIMULATORS = ("isaaclab", "isaaclab_newton", "isaaclab_ovphysx", "isaaclab_physx", "motrixsim")
"""Packages whose place usdsim takes, whether they are installed or not."""

ABSENT = "usdsim.compat.absent"
"""The module that has every name: each is accepted where it is imported and refused where used."""

_ALIASES = "usdsim.compat.classes.aliases"

_PRIMS = tuple(
    f"usdsim.compat.prims.{name}"
    for name in (
        *("making", "finding", "placing", "properties", "labels", "cloning"),
        *("nesting", "sources", "sensor_frames"),
    )
)

_SIM = (
    "usdsim.compat.classes.deprecated_names",
    "usdsim.compat.classes.converter_options",
    "usdsim.compat.simulation_cfg",
    "usdsim.compat.stages",
    *_PRIMS,
    "usdsim.compat.settings",
    _ALIASES,
    "usdsim.compat.classes.deformable_materials",
    "usdsim.compat.prims.frames",
    "usdsim.sim",
    "usdsim.spawners",
    "usdsim.schemas",
    "usdsim.schemas.deprecated",
    "usdsim.converters",
    "usdsim.converters.spawn",
)

_BENCHMARK = tuple(
    f"usdsim.compat.benchmarks.{name}"
    for name in ("benchmark", "measurements", "backends", "recorders")
)

_CORE = (
    *(
        f"usdsim.compat.isaac_core.{name}"
        for name in (
            *("worlds", "scenes", "singles", "robots", "bodies", "frames", "objects", "materials"),
            *("actions", "server"),
        )
    ),
    "usdsim.compat.app",
    "usdsim.compat.stages",
    *_PRIMS,
    ABSENT,
)

_TERMS = (
    "usdsim.envs.mdp",
    "usdsim.envs.mdp.actions",
    "usdsim.envs.mdp.events",
    "usdsim.compat.tools.randomization",
    "usdsim.envs.managers",
)


MODULES: dict[str, tuple[str, ...]] = {
    "": (),
    "actuators": ("usdsim.compat.thrusters", "usdsim.actuators", _ALIASES),
    "app": ("usdsim.compat.app", "usdsim.compat.carb_settings"),
    "app.settings_manager": ("usdsim.compat.carb_settings",),
    "applied_schemas": ("usdsim.compat.prims.applied_schemas",),
    "assets": ("usdsim.assets", _ALIASES),
    "assets.articulation.kernels": ("usdsim.compat.classes.joint_kernels",),
    "carb": ("usdsim.compat.carb_settings", "usdsim.compat.isaac_core.vectors", ABSENT),
    "carb.input": ("usdsim.compat.classes.keyboards", ABSENT),
    "cloner": ("usdsim.compat.cloner",),
    "controllers": ("usdsim.controllers", "usdsim.compat.classes.lee_robots"),
    "controllers.utils": ("usdsim.compat.tools.urdf_files",),
    "controllers.config": (ABSENT,),
    "controllers.pink_ik": (ABSENT,),
    "controllers.pink_ik_cfg": (ABSENT,),
    "controllers.rmp_flow": (ABSENT,),
    "deformable": ("usdsim.assets", "usdsim.compat.settings"),
    "devices": (ABSENT,),
    "envs": (
        "usdsim.envs",
        "usdsim.compat.classes.env_types",
        "usdsim.compat.classes.mimic",
        _ALIASES,
    ),
    "envs.mdp": _TERMS,
    "envs.mdp.actions.pink_actions_cfg": (ABSENT,),
    "envs.mdp.actions.rmpflow_actions_cfg": (ABSENT,),
    "envs.ui": ("usdsim.compat.isaac_core.viewport", ABSENT),
    "envs.utils": ("usdsim.compat.tools.spaces", "usdsim.envs"),
    "envs.utils.camera_view": (ABSENT,),
    "envs.utils.io_descriptors": ("usdsim.compat.tools.descriptors",),
    "isaacsim": ("usdsim.compat.app", ABSENT),
    "isaacsim.core": _CORE,
    "isaacsim.core.experimental": (ABSENT,),
    "isaacsim.core.experimental.utils.app": ("usdsim.compat.app", ABSENT),
    "isaacsim.core.simulation_manager": ("usdsim.compat.classes.physics_events", ABSENT),
    "isaacsim.storage": ("usdsim.compat.isaac_core.server", ABSENT),
    "isaacsim.core.cloner": ("usdsim.compat.prims.grid_cloner", ABSENT),
    "isaacsim.core.utils.torch": ("usdsim.compat.tools.torch_rotations", _ALIASES),
    "isaacsim.sensors.camera": ("usdsim.compat.isaac_core.cameras", ABSENT),
    "isaacsim.core.version": ("usdsim.compat.versions",),
    "isaacsim.util.debug_draw": ("usdsim.compat.debug_draw",),
    "isaacsim.util.debug_draw._debug_draw": ("usdsim.compat.debug_draw",),
    "motrixsim": ("usdsim",),
    "motrixsim.coacd": ("usdsim.coacd",),
    "motrixsim.ik": ("usdsim.ik",),
    "motrixsim.low": ("usdsim.low",),
    "motrixsim.msd": ("usdsim.msd",),
    "motrixsim.osc": ("usdsim.osc",),
    "motrixsim.query": ("usdsim.query",),
    "motrixsim.render": ("usdsim.viewer.app",),
    "motrixsim.render.widgets": ("usdsim.viewer.app",),
    "motrixsim.run": ("usdsim.run",),
    "motrixsim.viewer": ("usdsim.viewer",),
    "motrixsim.write": ("usdsim.write",),
    "mdp": ("usdsim.envs.mdp", "usdsim.envs.mdp.actions"),
    "managers": ("usdsim.envs.managers", _ALIASES),
    "markers": ("usdsim.compat.markers",),
    "omni": (ABSENT,),
    "omni.isaac.cloner": ("usdsim.compat.prims.grid_cloner", ABSENT),
    "omni.isaac.core": ("usdsim.compat.isaac_core.former", *_CORE),
    "omni.isaac.core.utils.torch": ("usdsim.compat.tools.torch_rotations", _ALIASES),
    "omni.isaac.nucleus": ("usdsim.compat.isaac_core.server", ABSENT),
    "omni.isaac.sensor": ("usdsim.compat.isaac_core.cameras", ABSENT),
    "omni.isaac.version": ("usdsim.compat.versions",),
    "omni.appwindow": ("usdsim.compat.classes.keyboards", ABSENT),
    "omni.kit.app": ("usdsim.compat.isaac_core.updates", "usdsim.compat.app", ABSENT),
    "omni.replicator.core": (
        "usdsim.compat.tools.images",
        "usdsim.compat.isaac_core.pictures",
        ABSENT,
    ),
    "omni.timeline": ("usdsim.compat.isaac_core.updates", ABSENT),
    "omni.usd": ("usdsim.compat.prims.context", ABSENT),
    "omni.log": ("usdsim.compat.carb_settings",),
    "physics": ("usdsim.compat.classes.physics_events", "usdsim.compat.settings", ABSENT),
    "renderers": ("usdsim.compat.settings", ABSENT),
    "visualizers": (ABSENT,),
    "rl": ("usdsim.compat.tasks.agents", "usdsim.compat.rl"),
    "rl.rl_games": ("usdsim.compat.tasks.rl_games", "usdsim.compat.rl"),
    "rl.rsl_rl": ("usdsim.compat.classes.deprecated_agents", "usdsim.compat.rl"),
    "rl.sb3": ("usdsim.compat.tasks.agents", "usdsim.compat.rl"),
    "rl.skrl": ("usdsim.compat.tasks.agents", "usdsim.compat.rl"),
    "rl.utils": ("usdsim.compat.rl",),
    "rl.utils.pretrained_checkpoint": ("usdsim.compat.server.checkpoints", ABSENT),
    "robots": ("usdsim.compat.server.robots", "usdsim.robots", _ALIASES),
    "scene": ("usdsim.sim",),
    "sensors": (
        "usdsim.compat.classes.cameras",
        "usdsim.compat.classes.deprecated_names",
        "usdsim.compat.classes.render_buffers",
        "usdsim.sensors",
        _ALIASES,
        "usdsim.compat.tools.images",
        "usdsim.compat.tools.point_clouds",
    ),
    "sensors.camera.utils": (
        "usdsim.compat.tools.point_clouds",
        "usdsim.compat.tools.images",
        "usdsim.math.tensors",
        _ALIASES,
    ),
    "sensors.tacsl_sensor": (ABSENT,),
    "sensors.patterns": ("usdsim.sensors.patterns",),
    "sensors.ray_caster.patterns": ("usdsim.sensors.patterns",),
    "sim": _SIM,
    "tasks": (),
    "tasks.manager_based.classic.cartpole.mdp": _TERMS,
    "tasks.manager_based.locomotion.velocity.mdp": _TERMS,
    "tasks.manager_based.manipulation.lift.mdp": _TERMS,
    "tasks.manager_based.manipulation.reach.mdp": _TERMS,
    "tasks.utils": (
        "usdsim.compat.tasks.registry",
        "usdsim.compat.tasks.arguments",
        "usdsim.compat.tasks.presets",
    ),
    "tasks.utils.wrappers": ("usdsim.compat.tasks.agents", "usdsim.compat.rl"),
    "terrains": (
        "usdsim.compat.prims.terrain_pieces",
        "usdsim.terrains",
        "usdsim.compat.prims.terrain_meshes",
    ),
    "terrains.height_field": ("usdsim.compat.prims.height_field_pieces", "usdsim.terrains"),
    "toml": ("usdsim.compat.tools.toml_files",),
    "ui": (ABSENT,),
    "test": (),
    "test.benchmark": _BENCHMARK,
    "test.benchmark.recorders": _BENCHMARK,
    "test.mock_interfaces": (),
    "test.mock_interfaces.assets": ("usdsim.compat.tools.wrenches",),
    "utils": (
        "usdsim.compat.configclass",
        "usdsim.compat.tasks.presets",
        "usdsim.compat.timer",
        "usdsim.compat.tables",
        "usdsim.compat.tools.arrays",
        "usdsim.compat.tools.buffers",
        "usdsim.compat.tools.lazy_names",
        "usdsim.compat.tools.logs",
        "usdsim.compat.tools.strings",
        "usdsim.compat.versions",
        "usdsim.compat.tools.files",
        "usdsim.compat.tools.interpolation",
        "usdsim.compat.prims.intrinsics",
        "usdsim.compat.prims.solids",
        "usdsim.envs.signals.modifiers",
    ),
    "utils.assets": ("usdsim.compat.server.paths", _ALIASES),
    "utils.array": ("usdsim.compat.tools.arrays",),
    "utils.buffers": ("usdsim.compat.tools.buffers",),
    "utils.datasets": ("usdsim.envs.demonstrations",),
    "utils.dict": ("usdsim.compat.tables", "usdsim.compat.tools.strings"),
    "utils.logger": ("usdsim.compat.tools.logs",),
    "utils.interpolation": ("usdsim.compat.tools.interpolation",),
    "utils.io": ("usdsim.compat.tools.files",),
    "utils.leapp": (ABSENT,),
    "utils.mesh": ("usdsim.compat.prims.solids",),
    "utils.pretrained_checkpoint": ("usdsim.compat.server.checkpoints", ABSENT),
    "utils.math": ("usdsim.math.tensors", "usdsim.compat.classes.lee_robots"),
    "utils.modifiers": ("usdsim.envs.signals.modifiers",),
    "utils.module": ("usdsim.compat.tools.lazy_names",),
    "utils.noise": ("usdsim.envs.signals.noise", "usdsim.compat.tools.noises"),
    "utils.seed": ("usdsim.compat.tools.seeds",),
    "utils.string": ("usdsim.compat.tables", "usdsim.compat.tools.strings"),
    "utils.timer": ("usdsim.compat.timer",),
    "utils.types": ("usdsim.actuators",),
    "utils.version": ("usdsim.compat.versions",),
    "utils.warp": ("usdsim.compat.tools.arrays", "usdsim.compat.tools.ray_meshes"),
    "utils.wrench_composer": ("usdsim.compat.tools.wrenches",),
}
"""Modules that have the names of a module, in the order of looking."""

_FILES = """
    action_manager action_term actions actions_cfg actuator_base actuator_base_cfg actuator_cfg
    actuator_net actuator_net_cfg actuator_pd actuator_pd_cfg agibot agility allegro ant anymal
    app_launcher arl_robot_1 articulation articulation_cfg articulation_data asset_base
    asset_base_cfg asset_converter_base asset_converter_base_cfg backends benchmark_core
    benchmark_monitor binary_joint_actions buffers camera camera_cfg camera_data
    cart_double_pendulum cartpole cassie circular_buffer classic clone_plan cloner_cfg
    cloner_strategies cloner_utils collision_filter command_manager commands commands_cfg
    common config configclass contact_sensor contact_sensor_cfg contact_sensor_data converters
    curriculum_manager curriculums dataset_file_handler_base deformable_object
    deformable_object_cfg deformable_object_data delay_buffer differential_ik
    differential_ik_cfg direct_marl_env direct_marl_env_cfg direct_rl_env direct_rl_env_cfg
    distillation_cfg env env_cfg episode_data event_manager events exporter fabric_frame_view
    flexiv fourier frame_transformer frame_transformer_cfg frame_transformer_data frame_view
    franka from_files from_files_cfg galbot gelsight hdf5_dataset_file_handler height_field
    hf_terrains hf_terrains_cfg humanoid humanoid_28 hydra images importer imu imu_cfg imu_data
    interactive_scene interactive_scene_cfg interfaces isaac_rtx_renderer
    isaac_rtx_renderer_cfg joint_actions joint_actions_to_limits joint_impedance
    joint_impedance_cfg joint_wrench joint_wrench_sensor joint_wrench_sensor_cfg
    joint_wrench_sensor_data kinova kuka_allegro lee_acceleration_control
    lee_acceleration_control_cfg lee_attitude_control lee_attitude_control_cfg
    lee_controller_base lee_controller_base_cfg lee_controller_utils lee_position_control
    lee_position_control_cfg lee_velocity_control lee_velocity_control_cfg legacy lift lights
    lights_cfg linear_interpolation lists locomotion manager_base manager_based
    manager_based_env manager_based_env_cfg manager_based_rl_env manager_based_rl_env_cfg
    manager_term_cfg manipulation marl materials math_ops maths mdp measurements mesh
    mesh_converter mesh_converter_cfg mesh_terrains mesh_terrains_cfg meshes meshes_cfg
    mimic_env_cfg mjcf_converter mjcf_converter_cfg mjwarp_manager_cfg modifier modifier_base
    modifier_cfg multi_mesh_ray_caster multi_mesh_ray_caster_camera
    multi_mesh_ray_caster_camera_cfg multi_mesh_ray_caster_camera_data
    multi_mesh_ray_caster_cfg multi_mesh_ray_caster_data multirotor multirotor_cfg
    multirotor_data newton_manager_cfg newton_site_frame_view newton_warp_renderer
    newton_warp_renderer_cfg noise_cfg noise_model non_holonomic_actions null_command
    observation_manager observations openarm operational_space operational_space_cfg ops
    parse_cfg patterns patterns_cfg physics_manager_cfg physics_materials physics_materials_cfg
    physx_manager physx_manager_cfg pick_and_place pose_2d_command pose_command
    pre_trained_policy_action preset_cli preset_target presets pretrained_checkpoint prims
    proxy_array pva pva_cfg pva_data quadcopter queries randomization_manager ray_caster
    ray_caster_camera ray_caster_camera_cfg ray_caster_cfg ray_caster_data reach
    record_cpu_info record_gpu_info record_memory_info record_version_info recorder_manager
    recorders recorders_cfg renderer_cfg reward_manager rewards ridgeback_franka rigid_object
    rigid_object_cfg rigid_object_collection rigid_object_collection_cfg
    rigid_object_collection_data rigid_object_data rl_cfg rl_games rl_task_env rl_task_env_cfg
    rnd_cfg robots rotations rough rsl_rl sawyer sb3 scene_entity_cfg schemas schemas_cfg
    semantics sensor_base sensor_base_cfg sensors sensors_cfg shadow_hand shapes shapes_cfg
    sim_launcher simulation_cfg simulation_context skrl spaces spawner_cfg spawners spot stage
    sub_terrain_cfg surface_gripper surface_gripper_actions surface_gripper_cfg symmetry_cfg
    tacsl_sensor task_space_actions tensor termination_manager terminations terrain_generator
    terrain_generator_cfg terrain_importer terrain_importer_cfg thrust_actions
    thrust_actions_cfg thruster thruster_cfg tiled_camera tiled_camera_cfg timestamped_buffer
    timestamped_buffer_warp torchscript transformations transforms trimesh unitree
    universal_robots urdf_converter urdf_converter_cfg usd_frame_view utils vecenv_wrapper
    velocity velocity_command velodyne views visual_materials visual_materials_cfg
    visualization_markers visualization_markers_cfg visuals visuals_cfg visuotactile_sensor_cfg
    wrappers wrappers_cfg xform_prim_view yaml
"""
FILES = frozenset(_FILES.split())
"""Names of files and folders within modules, each of which has the names of its module."""
