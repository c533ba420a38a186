"""Trusting what a project's file says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from recollect.config.config import data_dir, find_project, is_trusted, needs_trust
from recollect.config.trust_store import digest, remember, trust_of
from recollect.errors import BadConfig


def takes_effect(directory: Path, environment: Mapping[str, str]) -> bool:
    """Whether a project's file is trusted, or needs no trust."""
    project = find_project(directory)
    try:
        values = project.values() if project is not None else {}
    except BadConfig:
        return False
    if project is None or not needs_trust(values):
        return True
    return is_trusted(data_dir(environment), project.root, values)


def trust_config(directory: Path, environment: Mapping[str, str]) -> None:
    """Trust the current contents of the project's file; change nothing else."""
    project = find_project(directory)
    if project is None:
        return
    home, values = data_dir(environment), needs_trust(project.values())
    known = trust_of(home, project.root)
    wanted = known._replace(config=digest(values) if values else "")
    if wanted != known:
        remember(home, project.root, wanted)
