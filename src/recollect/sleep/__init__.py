"""What turns a pile of notes into a memory: fading, merging, episodes. Values in, values out."""
