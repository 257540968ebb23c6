"""Particles of PhysX, which programs author and nothing here simulates."""

from __future__ import annotations

from .facts import KEPT, schemas

__all__ = ["PARTICLES"]

PARTICLES = schemas(
    """
PhysxAutoParticleClothAPI: Springs that are made of the mesh of a cloth.
    bool disableMeshWelding = false
    float springBendStiffness = 1.5; springDamping = 10; springShearStiffness = 1.5
    float springStretchStiffness = 1.5
PhysxDiffuseParticlesAPI: Spray, foam and bubbles of a fluid.
    float airDrag = 0; bubbleDrag = 0.5; buoyancy = 0.8; collisionDecay = 0.5
    float divergenceWeight = 5; kineticEnergyWeight = 0.01; lifetime = 5; pressureWeight = 1
    float threshold = 0.01
    bool diffuseParticlesEnabled = true; useAccurateVelocity = false
    uniform float maxDiffuseParticleMultiplier = -inf
PhysxPBDMaterialAPI: Material of particles.
    float adhesion = 0; adhesionOffsetScale = 0; cflCoefficient = 1; cohesion = 0; damping = 0
    float density = 0; drag = 0; friction = 0.2; gravityScale = 1; lift = 0
    float particleAdhesionScale = 1; particleFrictionScale = 1; surfaceTension = 0; viscosity = 0
    float vorticityConfinement = 0
PhysxParticleAPI: Particles of a system.
    bool particleEnabled = true; selfCollision = true
    int particleGroup = 0
    rel particleSystem
PhysxParticleAnisotropyAPI: Shapes of particles, for drawing.
    float max = 2; min = 0.2; scale = 1
    bool particleAnisotropyEnabled = true
PhysxParticleClothAPI + PhysxParticleAPI physxParticle: A cloth of particles and springs.
    float pressure = 0
    point3f[] restPoints
    bool selfCollisionFilter = true
    float[] springDampings; springRestLengths; springStiffnesses
    uniform int2[] springIndices
PhysxParticleIsosurfaceAPI: The surface of a fluid, for drawing.
    string gridFilteringPasses = "GSRS"
    float gridSmoothingRadius = -inf; gridSpacing = -inf; surfaceDistance = -inf
    bool isosurfaceEnabled = true
    uniform int maxSubgrids = 2048; maxTriangles = 2097152; maxVertices = 1048576
    int numMeshNormalSmoothingPasses = 4; numMeshSmoothingPasses = 4
PhysxParticleSamplingAPI: Particles that fill or cover a mesh.
    int maxSamples = 50000
    float samplingDistance = 0
    bool volume = true
    rel particles
PhysxParticleSetAPI + PhysxParticleAPI physxParticle: Points that are particles.
    bool fluid = true
    point3f[] simulationPoints
PhysxParticleSmoothingAPI: Smoothed places of particles, for drawing.
    bool particleSmoothingEnabled = true
    float strength = 0.8
PhysxParticleSystem < UsdGeomGprim: What particles share.
    float contactOffset = -inf; fluidRestOffset = -inf; maxDepenetrationVelocity = inf
    float maxVelocity = inf; neighborhoodScale = 1.01; particleContactOffset = 0.05
    float restOffset = -inf; solidRestOffset = -inf
    bool enableCCD = false; globalSelfCollisionEnabled = true; nonParticleCollisionEnabled = true
    bool particleSystemEnabled = true
    int maxNeighborhood = 96; solverPositionIterationCount = 16
    float3 wind = (0, 0, 0)
    rel simulationOwner
""",
    KEPT,
)
