#!/usr/bin/env python3
"""Build the site and use it in a real Chromium, at three widths: no page may scroll sideways, contact another host, or write
an error to the console, and the search must find a task, a command and a setting.

    REQUIREMENTS=site.txt conformance/python conformance/site.py --quintain bin/quintain [--screenshots DIR]
"""

import argparse
import contextlib
import functools
import http.server
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTHS = [390, 820, 1440]
PAGES = ["", "run/", "tasks/", "tasks/spell_backward/", "scenarios/k_in_a_row/", "games/", "commands/quintain/", "commands/run/", "settings/", "http/hub/", "http/serve/", "python-reference/", "formats/group/", "decisions/003-dependencies/"]
SOUGHT = {"spell_backward": "tasks/spell_backward", "sandbox probe": "commands/sandbox-probe", "group_size": "settings"}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def look(browser, url, width, screenshots, faults):
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.on("console", lambda m: m.type == "error" and faults.append(f"{page.url} at {width}: the console says {m.text}"))
    page.on("request", lambda r: r.url.startswith((url, "data:", "blob:")) or faults.append(f"{page.url} asks {r.url}"))
    for name in PAGES:
        page.goto(url + name, wait_until="load")
        if page.title() == "" or not page.locator("h1").count():
            faults.append(f"{name}: it has no heading")
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            faults.append(f"{name or 'the first page'} is {wide} wide on a screen of {width}")
        if screenshots:
            page.screenshot(path=screenshots / f"{name.strip('/').replace('/', '-') or 'index'}-{width}.png")
    return page


def search(page, url, faults):
    for text, want in SOUGHT.items():
        page.goto(url)
        page.locator(".md-search__input").fill(text)
        page.locator(".md-search-result__link").first.wait_for(state="attached", timeout=60_000)
        links = [a.get_attribute("href") for a in page.locator(".md-search-result__link").all()]
        found = list(dict.fromkeys(link.removeprefix(url).split("?")[0] for link in links))[:5]
        if want + "/" not in found:
            faults.append(f"the search for {text} finds first {found}, want {want}")


def main():
    from playwright.sync_api import sync_playwright

    o = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    o.add_argument("--quintain", required=True, help="the program")
    o.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("chromium-browser"), help="the browser")
    o.add_argument("--screenshots", type=pathlib.Path, help="the folder for pictures of the pages")
    o = o.parse_args()
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / ".ci/site/build.py", "--quintain", o.quintain, folder], check=True)
        pages = sum(1 for _ in pathlib.Path(folder).rglob("*.html"))
        if o.screenshots:
            o.screenshots.mkdir(parents=True, exist_ok=True)
        with served(folder) as url, sync_playwright() as p:
            browser = p.chromium.launch(executable_path=o.chromium, args=["--no-sandbox"])
            for width in WIDTHS:
                page = look(browser, url, width, o.screenshots, faults)
            search(page, url, faults)
            browser.close()
    print("\n".join(dict.fromkeys(faults)))
    print(f"{pages} pages, {len(PAGES)} of them at {len(WIDTHS)} widths: {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
