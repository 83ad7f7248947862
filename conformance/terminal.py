#!/usr/bin/env python3
"""Take a picture of a run in a terminal of 96 by 28 characters, as a person sees it.

    REQUIREMENTS=watch.txt conformance/python conformance/terminal.py --quintain bin/quintain [--picture docs/watch/terminal.png]

A pseudoterminal runs the program, pyte understands its control sequences, and Chromium draws the screen. It fails unless
the screen shows the tasks, a problem with its reply, and the score on held-out problems.
"""

import argparse
import fcntl
import html
import os
import pathlib
import pty
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time

import pyte
from playwright.sync_api import sync_playwright

COLUMNS, ROWS = 96, 28
SECONDS = 45  # of the run
COLORS = {"default": "#d6d9de", "green": "#6fd39f", "red": "#ff8f87", "brown": "#e6b450", "yellow": "#e6b450", "blue": "#5cb5ef", "cyan": "#45c9a0", "magenta": "#e39ac8"}
PAGE = """<!doctype html><meta charset=utf-8><style>body {{ margin: 0; background: #14161a }}
pre {{ margin: 0; padding: 14px 16px; display: inline-block; font: 14px/1.3 "DejaVu Sans Mono", monospace; color: #d6d9de }}</style><pre>{}</pre>"""


def played(quintain, folder, seconds):
    """The screen of a run in a folder, after so many seconds."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve(quintain, ["quintain", "run", "--port", "0"], {**os.environ, "TERM": "xterm-256color"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    stream.feed(b"$ quintain run\r\n")
    try:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if select.select([terminal], [], [], 0.2)[0]:
                stream.feed(os.read(terminal, 1 << 16))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)
    return screen


def drawn(screen):
    """The screen as HTML."""
    lines = []
    for y in range(ROWS):
        line = ""
        for x in range(COLUMNS):
            c = screen.buffer[y][x]
            style = f"color:{COLORS.get(c.fg, c.fg if c.fg.startswith('#') else '#' + c.fg)}" + (";font-weight:bold" if c.bold else "")
            line += html.escape(c.data) if style == f"color:{COLORS['default']}" else f'<span style="{style}">{html.escape(c.data)}</span>'
        lines.append(line.rstrip())
    return PAGE.format("\n".join(lines).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program")
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("chromium-browser"), help="the browser")
    parser.add_argument("--picture", type=pathlib.Path, help="file for the picture")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as p:
        screen = played(os.path.abspath(args.quintain), folder, SECONDS)
        browser = p.chromium.launch(executable_path=args.chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_content(drawn(screen))
        if args.picture:
            args.picture.parent.mkdir(parents=True, exist_ok=True)
            page.locator("pre").screenshot(path=args.picture)
        browser.close()
    text = "\n".join(screen.display)
    missing = [part for part in ("held-out score", "spell_backward", "right") if part not in text]
    if missing:
        print(text)
    return f"the screen lacks {missing}" if missing else 0


if __name__ == "__main__":
    sys.exit(main())
