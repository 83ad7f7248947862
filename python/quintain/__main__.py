"""``python -m quintain`` is the program ``quintain``."""

import os
import subprocess
import sys

from quintain.program import path

if __name__ == "__main__":
    command = [path(), *sys.argv[1:]]
    if sys.platform == "win32":  # it has no exec that keeps the console
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)
