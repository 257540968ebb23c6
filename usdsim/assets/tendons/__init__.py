"""Tendons of articulations: elements, data and writers."""
