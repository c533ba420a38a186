"""Facts: subject, predicate and object, with the time in which each is true."""
