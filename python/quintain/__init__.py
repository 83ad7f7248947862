"""Problems, graders, rewards and batches for reinforcement learning of language models.

>>> import quintain
>>> sums = quintain.task("chain_sum", level=2)
>>> problems = sums.problems(seed=1, count=1000)
>>> sums.grade(problems[0], "123").score
0.0

One process of the program ``quintain`` does the work. It starts with the first request, and serves all threads of a
Python process; a fork gets its own, and a dead one is replaced.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from typing import TYPE_CHECKING, Any

from quintain import environments, math, rewards
from quintain.coding import code_problems, code_reward, code_score
from quintain.environments import ScenarioEnvironment, TaskEnvironment
from quintain.errors import Error, HubError, ProgramError, SessionError
from quintain.run import Run
from quintain.problems import Problem, Task, Verdict, grade, grade_all, judge_all, task, tasks
from quintain.scenarios import Draw, Play, Reply, Scenario, Step, scenario, serve_scenario
from quintain.sessions import Agent, Session, agent, group, session

if TYPE_CHECKING:
    from quintain.hub import Batch, Hub

__all__ = [
    "Agent", "Batch", "Draw", "Error", "Hub", "HubError", "Play", "Problem", "ProgramError", "Reply", "Run", "Scenario", "ScenarioEnvironment", "Session",
    "SessionError", "Step", "Task", "TaskEnvironment", "Verdict", "agent", "code_problems", "code_reward", "code_score", "environments", "grade", "grade_all", "group", "judge_all", "math", "rewards",
    "scenario", "serve_scenario", "session", "task", "tasks",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.metadata.version("quintain")
    if name in ("Batch", "Hub"):  # they need NumPy, which loads slowly
        return getattr(importlib.import_module("quintain.hub"), name)
    if name == "ray":  # it needs Ray
        return importlib.import_module("quintain.ray")
    raise AttributeError(f"module 'quintain' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
