"""Settings that every test shares."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Machines differ in speed and no test asserts on it. HYPOTHESIS_PROFILE=thorough looks longer.
settings.register_profile(
    "ci", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.register_profile("thorough", settings.get_profile("ci"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
