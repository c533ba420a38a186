"""Whether sleep makes a memory better: a simulated year, and how the work grows."""
