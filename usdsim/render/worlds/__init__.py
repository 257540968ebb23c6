"""Worlds of an engine as cameras see them: views, and looks of single worlds."""
