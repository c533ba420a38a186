"""Measurements: always ratios to plain git or plain engines in the same run."""
