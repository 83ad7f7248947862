#!/usr/bin/env python3
"""Type commands into bash, zsh and fish, press TAB, and look for what they complete to.

    conformance/completion.py --quintain bin/quintain [bash zsh fish]

Without names, each of the three that is installed; bash with its package bash-completion, which the program's script needs.
"""

import argparse
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PACKAGE = "/usr/share/bash-completion/bash_completion"
BEGIN = {
    "bash": (["bash", "--norc", "-i"], f". {PACKAGE}; . <(quintain completion bash)"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -D; . <(quintain completion zsh)"),
    "fish": (["fish", "--no-config", "-i"], "quintain completion fish | source"),
}
LINES = {  # what is typed, and what stands there or is offered after TAB
    "quintain sandb": "sandbox",
    "quintain run --tasks countd": "countdown",
    "quintain run --tasks gcd,count_p": "gcd,count_primes",
    "quintain tasks show chain_": "chain_sum",
    "quintain run --scenario nim_": "nim_family",
    "quintain run --policy vllm-": "vllm-native",
    "quintain run --with run.gra": "run.grace",
    "quintain export ar": "areal",
    "quintain dataset check --compare tok": "tokens",
    "quintain tasks list --scoring one,wh": "one,whole",
    "quintain trace show BEGIN": "GROUP",
}
SECONDS = 30  # for one answer


def screen(text):
    """What stands on the terminal after a text, without the backslashes by which bash protects commas."""
    rows, at = [[]], 0
    for c in re.sub(r"\x1b\[[0-9;?>=]*[a-zA-Z]|\x1b[()][A-Z0-9]|\x1b[=>]|[\x07\x0f]", "", text):
        if c == "\n":
            rows, at = rows + [[]], 0
        elif c in "\r\b":
            at = 0 if c == "\r" else max(0, at - 1)
        else:
            rows[-1][at : at + 1] = [c]
            at += 1
    return "\n".join("".join(row) for row in rows).replace("\\", "")


def typed(shell, folder, lines):
    """The lines that a shell does not complete, with what it wrote."""
    command, setup = BEGIN[shell]
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(TERM="xterm", HOME=str(folder), PS1="> ", PATH=f"{folder}:{os.environ['PATH']}")
        os.execvp(command[0], command)

    def until(wanted, seen=""):
        end = time.monotonic() + SECONDS
        while wanted not in screen(seen) and time.monotonic() < end:
            if select.select([terminal], [], [], 0.2)[0]:
                raw = os.read(terminal, 1 << 16)
                if b"\x1b[c" in raw or b"\x1b[0c" in raw:
                    os.write(terminal, b"\x1b[?62c")  # fish asks what terminal this is
                seen += raw.decode(errors="replace")
        return seen

    faults = []
    os.write(terminal, f"{setup}; printf 'begun-%s\\n' 42\n".encode())
    if "begun-42" not in screen(until("begun-42")):
        return [(shell, "does not begin")]
    for line, wanted in lines.items():
        os.write(terminal, line.encode())
        said = until(line.split()[-1])
        os.write(terminal, b"\t")
        if wanted not in (said := screen(until(wanted, said))):
            faults.append((line, f"want {wanted} in {said!r}"))
        os.write(terminal, b"\x15")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return faults


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--quintain", required=True)
    options.add_argument("shells", nargs="*")
    options = options.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        os.symlink(os.path.abspath(options.quintain), folder / "quintain")
        subprocess.run([folder / "quintain", "run", "--policy", "script", "--tasks", "gcd", "--steps", "1", "--port", "0"], cwd=folder, check=True, capture_output=True)
        group = subprocess.run([folder / "quintain", "trace", "list", "--limit", "1"], cwd=folder, check=True, capture_output=True, text=True).stdout.split()[-1].rpartition(".")[0]
        lines = {line.replace("BEGIN", group[:-5]): wanted.replace("GROUP", group) for line, wanted in LINES.items()}
        for shell in options.shells or [name for name in BEGIN if shutil.which(name) and (name != "bash" or os.path.exists(PACKAGE))]:
            faults = typed(shell, folder, lines)
            print(f"{shell}: {len(lines) - len(faults)} of {len(lines)}")
            for line, why in faults:
                print(f"  {line}: {why}")
            failed |= bool(faults)
    sys.exit(failed)


main()
