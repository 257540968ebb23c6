"""Signals of terms: noise, modifiers, delays and histories."""
