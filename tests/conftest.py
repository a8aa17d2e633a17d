"""What holds for all tests."""

from hypothesis import HealthCheck, settings

# How long an example takes depends on what else the machine is doing, and decides nothing.
settings.register_profile("crownhead", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("crownhead")
