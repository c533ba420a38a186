"""`recollect serve`: many repositories and many people, one server in front of them."""
