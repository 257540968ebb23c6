"""Rays and terrain scans."""
