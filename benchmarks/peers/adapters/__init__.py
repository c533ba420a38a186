"""One module for each peer. They run in its environment, without Recollect."""
