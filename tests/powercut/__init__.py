"""Power cuts: the service is killed at random instants and has to come back."""
