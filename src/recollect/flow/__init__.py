"""What happens at each event of an agent: events, stages, and the pipelines made of them."""
