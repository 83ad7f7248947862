"""An environment of Gymnasium that fails as it is told, for conformance/guests_hosts.py: gymnasium:Faulty-v0?module=guests_faulty&fault=nan"""

import os
import subprocess
import sys
import time

import gymnasium

FAULTS = {
    "nan": lambda: float("nan"), "infinite": lambda: float("inf"), "text": lambda: "Bad move.", "list": lambda: [1.0], "none": lambda: None, "huge": lambda: 1e9, "raise": lambda: [].pop(),
    "exit": lambda: sys.exit(1), "die": lambda: os._exit(7), "memory": lambda: bytearray(1 << 60), "deep": lambda: deep(0), "hang": lambda: time.sleep(3600), "read": lambda: float(input()),
    "print": lambda: print("said to standard output", flush=True) or os.write(1, b"and below it\n") and 0.5, "yes": lambda: True,
    "leave": lambda: subprocess.Popen(["sleep", "86399"]) and 0.5, "disk": lambda: [fill(n) for n in range(8)] and 0.5, "key": lambda: float(os.environ["NO_SUCH_KEY"]),
}  # fmt: skip


def fill(n):
    with open(f"full{n}", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, 1 << 29)


def deep(n):
    return deep(n + 1)


class Faulty(gymnasium.Env):
    """Reply 0, and it is over; but for its fault."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(2)
    opened = 0

    def __init__(self, fault):
        self.fault, self.render_mode = fault, None

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        Faulty.opened += 1
        if Faulty.opened > 2 and self.fault.startswith("open "):  # after the trials at the start
            FAULTS[self.fault[5:]]()
        if self.fault == "start":
            raise ValueError("it never starts")
        return 0, {}

    def step(self, action):
        return 1, FAULTS[self.fault]() if self.fault in FAULTS else 0.5, True, False, {}


gymnasium.register("Faulty-v0", Faulty)
