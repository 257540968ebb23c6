"""OpenGL pictures, by the renderer that comes with MuJoCo."""
