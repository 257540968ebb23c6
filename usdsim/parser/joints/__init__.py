"""Joints of a stage: frames, degrees of freedom, drives, mimic joints and tendons."""
