"""How well automatic capture tells what is worth keeping: a labelled set and its harness."""
