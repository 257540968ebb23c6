"""Contact surfaces: friction, restitution and compliance, and how those of two shapes mix."""
