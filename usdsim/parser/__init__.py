"""Parsing: a composed stage becomes a description of its physics."""

from .report import Finding, Report
from .stage import ParseResult, parse_stage

__all__ = ["Finding", "ParseResult", "Report", "parse_stage"]
