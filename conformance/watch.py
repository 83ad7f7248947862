#!/usr/bin/env python3
"""Use the pages of a run in a real Chromium: live, with a connection that breaks, by keyboard, in light and dark, on
a narrow and a wide screen, and with replies that no page should trust. No page may write an error to the console,
contact another host, or fail axe's rules in a serious way.

    REQUIREMENTS=watch.txt conformance/python conformance/watch.py --quintain bin/quintain [--screenshots docs/watch]
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

PATIENCE = 120_000  # milliseconds, of any step
SCREENS = [("light", 1280), ("dark", 1280), ("dark", 375), ("light", 1920), ("light", 2560)]  # with their widths
PICTURES = {"run": "light", "groups": "light", "group": "dark", "evaluations": "light", "task": "light"}  # of docs/watch.md
HOSTILE = [
    "<script>document.title = 'taken'</script>", "</pre><img src=x onerror=\"document.title='taken'\">", "a\u202eb\u200bc", "\x1b[31mred\x1b[0m\r",
    "x" * 100_000, "\u0000\u0007", "{{.Title}}${7*7}", "<a href=javascript:document.title='taken'>a</a>",
]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def program(*command, log):
    """The program, once its port answers."""
    port = free_port()
    with open(log, "w") as out:
        p = subprocess.Popen([*command, "--port", str(port)], stdout=out, stderr=out)
    try:
        until = time.time() + PATIENCE / 1000
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
                break
            if p.poll() is not None or time.time() > until:
                raise SystemExit(f"{command[1]} does not serve:\n{pathlib.Path(log).read_text()}")
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        p.terminate()
        p.wait()


class Wire:
    """A port that leads to another one, and can be cut."""

    def __init__(self, base):
        self.to = ("127.0.0.1", int(base.rsplit(":")[-1]))
        self.port, self.ends = free_port(), set()
        self.join()

    def join(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self.accept, args=[self.listener], daemon=True).start()

    def accept(self, listener):
        with contextlib.suppress(OSError):
            while True:
                near = listener.accept()[0]
                far = socket.create_connection(self.to)
                self.ends |= {near, far}
                for a, b in ((near, far), (far, near)):
                    threading.Thread(target=self.pass_on, args=[a, b], daemon=True).start()

    def pass_on(self, a, b):
        with contextlib.suppress(OSError):
            while data := a.recv(1 << 16):
                b.sendall(data)
        for end in (a, b):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self):
        for end in (self.listener, *self.ends):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self.ends.clear()


class Visit:
    """A browser on the pages of a server, with its faults."""

    def __init__(self, browser, base, **how):
        self.base, self.faults, self.bytes = base, [], 0
        self.context = browser.new_context(**how)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.expected = False  # the connection is broken on purpose
        self.page.on("console", lambda m: m.type in ("error", "warning") and self.fault(f"console: {m.text}"))
        self.page.on("pageerror", lambda e: self.fault(f"script: {e}"))
        self.page.on("request", lambda r: r.url.startswith((base, "data:")) or self.fault(f"asks {r.url}"))
        self.page.on("requestfailed", lambda r: "ERR_ABORTED" in (r.failure or "") or self.fault(f"{r.url}: {r.failure}"))
        self.page.on("response", lambda r: r.status >= 400 and self.fault(f"{r.status} {r.url}"))

    def fault(self, text):
        if not self.expected:
            self.faults.append(f"{self.page.url.removeprefix(self.base)}: {text}")

    def want(self, what, holds):
        if not holds:
            self.fault(what)

    def open(self, path):
        self.page.goto(self.base + path)
        self.want("the page is wider than the screen", self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))

    def axe(self, but=None):
        for v in Axe().run(self.page, context={"exclude": [[but]]} if but else None).response["violations"]:
            if v["impact"] in ("serious", "critical"):
                self.fault(f"axe: {v['id']}: {v['nodes'][0]['html'][:200]}")

    def wait(self, script):
        """Until a script is true: the pages forbid Playwright's own way of waiting."""
        until = time.time() + PATIENCE / 1000
        while not self.page.evaluate(script):
            if time.time() > until:
                raise SystemExit(f"{self.page.url}: never: {script}; faults: {self.faults}")
            self.page.wait_for_timeout(100)


def series(base, names):
    query = "&".join("name=" + name for name in names)
    with urllib.request.urlopen(f"{base}/watch/series?{query}", timeout=60) as reply:
        return sum(len(line["x"]) for line in json.load(reply))


def live(browser, base):
    """A run that goes on: the page follows it, through a connection that breaks."""
    wire = Wire(base)
    v = Visit(browser, f"http://127.0.0.1:{wire.port}")
    status = "document.getElementById('live').textContent"
    groups = "Number(document.querySelector('h2#all')?.textContent.split(' ')[0].replaceAll(',', ''))"
    grows = lambda: v.wait(f"{groups} > {v.page.evaluate(groups)}")  # noqa: E731
    v.open("/")
    v.want("the root does not lead to the run", v.page.title().startswith("Run"))
    v.wait("document.querySelector('h2#all')")
    grows()
    v.wait("document.querySelector('figure.chart')?.dataset.points > 0")  # the page had none at first
    v.expected = True
    wire.cut()
    v.wait(f"{status}.startsWith('not connected')")
    v.page.wait_for_timeout(6000)  # the run has more numbers by then
    wire.join()
    v.wait(f"{status}.startsWith('following')")
    v.expected = False
    grows()
    names = v.page.evaluate("[...document.querySelector('figure.chart').querySelectorAll('[data-name]')].map(e => e.dataset.name)")
    for _ in range(120):  # the run goes on meanwhile: they are the same as soon as nothing came in between
        shown, there = v.page.evaluate("Number(document.querySelector('figure.chart').dataset.points)"), series(base, names)
        if shown == there:
            break
        v.page.wait_for_timeout(500)
    v.want(f"a chart has {shown} points, the run {there}", shown == there)
    v.context.close()
    wire.cut()
    return v.faults


def pages(browser, base, shots):
    """Every page of an ended run, as people use it."""
    faults = []
    for scheme, width in SCREENS:
        v = Visit(browser, base, color_scheme=scheme, viewport={"width": width, "height": 900})
        v.open("/watch/run")
        v.wait("document.querySelectorAll('figure.chart canvas').length > 3")
        backs = v.page.evaluate("getComputedStyle(document.body).backgroundColor")
        v.want(f"{scheme} is {backs}", (backs == "rgb(255, 255, 255)") == (scheme == "light"))
        visit(v, shots and width == 1280 and shots / scheme)
        faults += v.faults
        v.context.close()
    return faults


def learning(v, data):
    """Is it learning? The page of the run begins with it."""
    v.open("/watch/run")
    lines = [json.loads(line) for line in open(data / "examinations.jsonl")]
    shown = v.page.locator(".big dd").all_inner_texts()
    for at, line in ((0, lines[0]), (1, lines[-1])):
        want = [f"{line['mean_score']:.3f}", f"{line['interval']['low']:.3f} to {line['interval']['high']:.3f}"]
        v.want(f"number {at} is {shown[at].split(chr(10))}, want {want}", shown[at].split("\n") == want)
    words = v.page.inner_text("#learned .answer")
    v.want(f"whether it learns: {words}", re.match(r"(Better|Worse|No significant change)", words))
    top = v.page.locator("#learned .answer").bounding_box()
    v.want(f"whether it learns is at {top}", top["y"] + top["height"] < 900)


def dropped(v):
    """Why was this dropped? A sentence, and two clicks to a group."""
    v.open("/watch/run")
    sentence = v.page.locator("#holding li:has-text('equal_scores')")
    v.want("the page does not say what equal_scores means", "all replies scored alike" in sentence.inner_text())
    sentence.locator("a").click()
    v.page.wait_for_url(re.compile("drop=equal_scores"))
    v.page.locator("tbody th a").first.click()
    v.page.wait_for_selector("article")
    v.want("the page of a group does not say why it was dropped", "equal_scores" in v.page.inner_text(".facts"))


def slow(v):
    """What is slow? A sentence, and a click to the longest replies."""
    v.open("/watch/run")
    sentence = v.page.locator("#speed")
    v.want(f"how fast it is: {sentence.inner_text()}", re.search(r"[\d,.]+ tokens and [\d,.]+ groups a second, .*the slowest lately [\d,.]+ [mµ]?s", sentence.inner_text()))
    v.want("who waits for whom is not said", re.search(r"sets the pace|The bound is", v.page.inner_text("#lag")))
    sentence.locator("a").click()
    v.page.wait_for_url(re.compile("by=tokens"))
    v.want("there are no groups", v.page.locator("tbody tr").count() > 1)


def zoom(v):
    """A range and smoothing are those of all charts, and stay in the address."""
    ranges = "[...new Set([...document.querySelectorAll('figure.chart:has(canvas)')].map(f => f.dataset.range))]"
    v.open("/watch/run")
    v.wait("document.querySelectorAll('figure.chart canvas').length > 3")
    v.wait(f"{ranges}.length === 1")
    whole = v.page.evaluate(ranges)[0]
    plot = v.page.locator("#numbers figure.chart .u-over").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    v.page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 20)
    v.page.mouse.down()
    v.page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 30, steps=5)
    v.page.mouse.up()
    v.wait("location.search.includes('from=') && location.search.includes('to=')")
    v.wait(f"{ranges}.length === 1 && {ranges}[0] !== '{whole}'")
    v.page.select_option("select[name=smooth]", "3")
    v.wait("location.search.includes('smooth=3')")
    v.page.reload()
    v.wait("document.querySelectorAll('figure.chart canvas').length > 3")
    v.wait(f"{ranges}.length === 1 && {ranges}[0] !== '{whole}'")
    v.want("the address does not keep the smoothing", v.page.input_value("select[name=smooth]") == "3")
    v.page.click("button[name=whole]")
    v.wait(f"{ranges}.length === 1 && {ranges}[0] === '{whole}'")
    v.want(f"the address keeps a range: {v.page.url}", "from=" not in v.page.url)
    v.page.click("summary:has-text('The training itself')")
    v.wait("document.querySelector('details figure.chart canvas')")


def questions(browser, base, data):
    """What strangers ask of an ended run."""
    v = Visit(browser, base, viewport={"width": 1280, "height": 900})
    learning(v, data)
    v.wait("document.getElementById('live').textContent.startsWith('ended')")
    dropped(v)
    slow(v)
    zoom(v)
    v.context.close()
    return v.faults


def shoot(v, folder, name):
    if folder and PICTURES.get(name) == folder.name:
        folder.parent.mkdir(parents=True, exist_ok=True)
        v.page.evaluate("scrollTo(0, 0)")
        v.page.screenshot(path=folder.parent / f"{name}.png")


def visit(v, folder):
    page = v.page
    v.axe()
    shoot(v, folder, "run")
    page.locator("figure.chart").first.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    for name in ("faults", "tasks", "evaluations"):
        v.open("/watch/" + name)
        v.axe()
        shoot(v, folder, name)
    if page.viewport_size["width"] >= 1280:
        v.want("the map of evaluations is cut", page.evaluate("[...document.querySelectorAll('.scroll:has(table.heat)')].every(s => s.scrollWidth <= s.clientWidth)"))
    v.open("/watch/task?name=spell_backward&level=0")
    page.fill("textarea", "<b>")
    page.click("text=Grade")
    page.wait_for_url(re.compile("answer="))
    v.want("the grader is silent", page.inner_text("p[role=status]").startswith("Score 0"))
    v.want("the page is wider than the screen", page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
    v.axe()
    shoot(v, folder, "task")

    v.open("/watch/groups")
    v.axe()
    shoot(v, folder, "groups")
    page.keyboard.press("Tab")
    v.want("the first stop of the keyboard is not the link to the content", page.evaluate("document.activeElement.className") == "skip")
    page.select_option("select[name=drop]", "kept")
    page.click("summary:has-text('More filters')")
    page.fill("input[name=min_score]", "0.1")
    page.fill("input[name=max_score]", "0.7")
    page.press("input[name=min_score]", "Enter")
    page.wait_for_url(re.compile("drop=kept"))
    v.want("a dropped group is shown as kept", "equal_scores" not in page.inner_text("tbody"))
    if page.viewport_size["width"] > 640:
        page.click("th a:has-text('Score')")
    else:  # there the rows are cards, without headings
        page.select_option("select[name=by]", "score")
        page.click("text=Show >> nth=0")
    page.wait_for_url(re.compile("by=score"))
    v.want("sorting forgets the filter", "drop=kept" in page.url)
    scores = [float(text) for text in page.locator("tbody tr td:nth-child(3)").all_inner_texts()]
    v.want(f"the scores are not sorted: {scores}", scores == sorted(scores, reverse=True))

    page.locator("tbody th a").first.press("Enter")
    page.wait_for_selector("article")
    v.want("the page is wider than the screen", page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
    page.locator("a.totokens").first.press("Enter")
    page.wait_for_selector(".tokens span")
    for _ in range(200):  # to the first sampled token
        page.keyboard.press("ArrowRight")
        if "log-probability" in page.inner_text(".exact"):
            break
    v.want(f"no log-probability: {page.inner_text('.exact')}", "log-probability -" in page.inner_text(".exact") or "log-probability 0" in page.inner_text(".exact"))
    page.locator(".tokens span").first.hover()
    v.want(f"the pointer is at {page.inner_text('.exact')}", page.inner_text(".exact").startswith("token 0 · id"))
    page.select_option("select[name=colour]", "drift")
    v.want("the drift has no legend", "continue" in page.inner_text(".tokenview .legend"))
    v.want("the drift has no colour", page.evaluate("document.querySelector('.tokens span').style.backgroundColor") != "")
    page.select_option("select[name=colour]", "version")
    page.reload()
    page.wait_for_selector(".tokens span")
    v.want("the address does not keep the colours", page.input_value("select[name=colour]") == "version")
    v.axe()
    shoot(v, folder, "group")


def wrote(v):
    """What did it write? A click from the page of the run."""
    page = v.page
    v.open("/watch/run")
    page.locator("main a[href^='group?at=']").first.click()
    page.wait_for_selector("article .reply")
    v.want("no reply has a text", any(text.strip() for text in page.locator("article .reply").all_inner_texts()))
    said = page.inner_text(".lead")
    v.want(f"what differs between right and wrong is not said: {said}", re.match(r"\d+ of \d+ right.*answered", said, re.S))
    scores = [float(text) for text in page.locator("article .score").all_inner_texts()]
    v.want(f"the replies are not sorted by score: {scores}", scores == sorted(scores, reverse=True))
    shown = page.evaluate("[...document.querySelectorAll('article h3')].reduce((n, e) => n + (Number(/^(\\d+) ×/.exec(e.textContent)?.[1] ?? 1)), 0)")
    v.want(f"{shown} replies are shown, there are {said}", said.split(" right")[0].endswith(f" of {shown}"))


def taught(v):
    """Which group taught most? Two clicks from the page of the run."""
    page = v.page
    v.open("/watch/run")
    page.click("nav[aria-label=Pages] a:has-text('Groups')")
    page.wait_for_url(re.compile("/groups"))
    read = "[...document.querySelectorAll('td[data-name=Spread]')].map(e => Number(e.textContent))"
    newest = page.evaluate(read)
    page.click("nav.orders a:has-text('Taught most')")
    page.wait_for_url(re.compile("by=spread"))
    spreads = page.evaluate(read)
    v.want(f"the spreads are {spreads}, of the newest {newest}", spreads == sorted(spreads, reverse=True) and spreads[0] > 0 and spreads[0] >= max(newest))
    v.want("a dropped group taught", set(page.locator("td[data-name=Fate]").all_inner_texts()) == {"kept"})
    v.want("the spread is not explained", "four times the variance" in page.inner_text("dl.legend"))
    page.locator("tbody a.open").first.click()
    page.wait_for_selector("article")
    v.want("the page of the group has another spread", page.inner_text(".facts div:has(dt:text-is('Spread')) dd") == f"{spreads[0]:.3f}")


def keys(v):
    """From group to group, and to the search, by keyboard."""
    page = v.page
    v.open("/watch/groups?by=spread&drop=kept")
    links = page_links(v)
    for _ in range(3):
        page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    here = lambda link: page.wait_for_url(lambda url: url.split("/")[-1] == link)  # noqa: E731
    here(links[1])
    for key, link in (("j", links[2]), ("k", links[1]), ("k", links[0])):
        page.keyboard.press(key)
        here(link)
    v.want("the first group has one before it", not page.locator("nav.steps a[rel=prev]").count())
    page.keyboard.press("/")
    v.want("the slash does not lead to the search", page.evaluate("document.activeElement.name") == "text")
    page.keyboard.type("jk/")
    v.want("keys act while one types", page.url.endswith(links[0]) and page.input_value("input[name=text]") == "jk/")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("text=jk"))
    page.locator("h1").click()
    page.keyboard.press("/")
    v.want("the slash does not lead to the search of the list", page.evaluate("document.activeElement.name") == "text")


def replayed(v):
    """From the map of tasks and levels to a problem of one, in all evaluations."""
    page = v.page
    v.open("/watch/evaluations")
    v.want("there is no chart of evaluations", page.locator(".intervals circle").count() > 1 and page.locator(".intervals .within").count() > 1)
    cell = page.locator("table.heat td a").last
    label = cell.evaluate("e => new URL(e.href).searchParams.get('problem')")
    cell.click()
    page.wait_for_url(re.compile("problem="))
    v.want(f"another problem than {label} is replayed", page.input_value("select[name=problem]") == label)
    v.want("there are no replies", page.locator("ol.replay li").count() > 0 and "version 0" in page.inner_text("section:has(#replay) .lead"))


def readers(browser, base):
    """What readers of replies ask, by mouse and by keyboard."""
    v = Visit(browser, base, viewport={"width": 1280, "height": 900})
    wrote(v)
    taught(v)
    keys(v)
    replayed(v)
    v.context.close()
    return v.faults


def hostile(browser, base, page):
    """Replies that no page should trust, one on its own among them."""
    v = Visit(browser, base)
    v.open("/watch/groups")
    links = page_links(v)
    v.want("there are no groups", bool(links))
    seen = 0
    for link in links[:10]:
        v.open("/watch/" + link + "&tokens=0")
        v.page.wait_for_selector(".tokens span")
        v.want("a reply has taken the page", v.page.title().startswith("Group") and not v.page.locator("main img, main script:not([src])").count())
        seen += v.page.locator("mark.unseen").count()
    v.want("an invisible character is not shown", seen > 0)
    v.context.close()
    file = Visit(browser, page.as_uri())
    file.open("")
    file.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    file.page.locator("a.totokens").last.press("Enter")
    file.page.wait_for_selector(".tokens span")
    file.want("a reply has taken the page", file.page.title().startswith("Run") and not file.page.locator("main img, main script:not([type='application/json'])").count())
    file.want("an invisible character is not shown", file.page.locator("mark.unseen").count() > 0)
    file.context.close()
    return v.faults + file.faults


def page_links(v):
    return [a.get_attribute("href") for a in v.page.locator("tbody th a").all()]


def alone(browser, page):
    """A page on its own: from a file, without a request."""
    v = Visit(browser, page.as_uri(), viewport={"width": 1280, "height": 900})
    v.open("")
    v.wait("document.querySelectorAll('figure.chart canvas').length > 3")
    v.want("no chart has points", v.page.evaluate("document.querySelector('figure.chart').dataset.points > 0"))
    group = v.page.locator("details.group").first
    group.locator("summary").first.click()
    group.locator("a.totokens").last.press("Enter")
    group.locator(".tokens span").first.hover()
    v.want(f"the pointer is at {group.locator('.exact').inner_text()}", group.locator(".exact").inner_text().startswith("token 0 · id"))
    v.axe(but="details.group:not([open])")  # fifty groups take it long
    v.want("a reply has taken the page", v.page.title().startswith("Run"))
    v.open("?x=time")
    v.wait("document.querySelectorAll('figure.chart canvas').length > 3")
    v.context.close()
    return v.faults


def painted(page, url):
    """When a page was first painted, in milliseconds."""
    page.goto(url)
    while not (paint := page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")):
        page.wait_for_timeout(20)
    return paint


def weight(browser, base):
    """The cost of a run's page: times are printed, because machines differ; only its size has a bound."""
    v = Visit(browser, base)
    v.open("/watch/run")
    v.wait("document.querySelectorAll('figure.chart canvas').length > 3")
    size = v.page.evaluate("[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce((n, e) => n + e.transferSize, 0)")
    v.want(f"the page takes {size} bytes", 10_000 < size < 300_000)
    v.context.close()
    with contextlib.closing(browser.new_page()) as page:
        run, empty = (statistics.median(painted(page, url) for _ in range(5)) for url in (base + "/watch/run", "data:text/html,<title>a</title><p>empty"))
    print(f"watch: the page of the run takes {size / 1000:.0f} KB; first painted after {run:.0f} ms, an empty page after {empty:.0f} ms (medians of 5)")
    return v.faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", required=True, help="the program to test")
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("chromium-browser"), help="the browser")
    parser.add_argument("--screenshots", type=pathlib.Path, help="folder for pictures of the pages")
    args = parser.parse_args()
    quintain, faults = os.path.abspath(args.quintain), []
    with tempfile.TemporaryDirectory() as name, sync_playwright() as p:
        scratch = pathlib.Path(name)
        browser = p.chromium.launch(executable_path=args.chromium, args=["--no-sandbox"])
        with program(quintain, "run", "--minutes", "10", "--data", str(scratch / "run"), log=scratch / "run.log") as base:
            faults += live(browser, base)
        for accuracy in ("0.4", "0.8"):
            subprocess.run([quintain, "eval", "--policy", "script", "--with", "policy.delay=0s", "--with", "policy.accuracy=" + accuracy, "--tasks", "chain_sum:0", "--out", str(scratch / accuracy)],
                           check=True, capture_output=True, timeout=PATIENCE / 1000)
        with program(quintain, "view", *(str(scratch / name) for name in ("run", "0.4", "0.8")), log=scratch / "view.log") as base:
            faults += pages(browser, base, args.screenshots) + questions(browser, base, scratch / "run") + weight(browser, base)
        subprocess.run([quintain, "view", str(scratch / "run"), "--export", str(scratch / "page.html")], check=True, capture_output=True, timeout=PATIENCE / 1000)
        faults += alone(browser, scratch / "page.html")

        with program(quintain, "view", str(scratch / "run"), log=scratch / "view.log") as base:
            faults += readers(browser, base)

        replies = scratch / "replies.jsonl"
        replies.write_text("".join(json.dumps({"text": text}) + "\n" for text in HOSTILE))
        with program(quintain, "policy", "fake", "--replies", str(replies), log=scratch / "server.log") as server:
            subprocess.run([quintain, "run", "--policy", "server", "--url", server, "--tokenizer", "bytes", "--with", "rules.keep_equal=true", "--steps", "1", "--port", "0",
                            "--data", str(scratch / "hostile")], check=True, capture_output=True, timeout=PATIENCE / 1000)
        with program(quintain, "view", str(scratch / "hostile"), log=scratch / "view.log") as base:
            subprocess.run([quintain, "view", str(scratch / "hostile"), "--export", str(scratch / "hostile.html")], check=True, capture_output=True, timeout=PATIENCE / 1000)
            faults += hostile(browser, base, scratch / "hostile.html")
        browser.close()
    for fault in faults:
        print("FAILED", fault)
    print(f"watch: a live run, its pages on {len(SCREENS)} screens, {len(HOSTILE)} hostile replies, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
