"""What happens at each event of an agent."""
