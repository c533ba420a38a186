"""Facts: subject, predicate, object, with the time in which each is true."""
