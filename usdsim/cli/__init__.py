"""Command line ``usdsim``: one module per subcommand, over the public API."""

__all__: list[str] = []
