"""The composition root: reads clock, environment and configuration, and wires the parts."""
