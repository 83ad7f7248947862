#!/usr/bin/env python3
"""Build the site, from docs/ as it is and from what the program and the Python package say of themselves.

    REQUIREMENTS=site.txt conformance/python .ci/site/build.py --quintain bin/quintain dist/site

Its pages: README.md, all of docs/, a page for each task and scenario with specimens, one for each command, the HTTP
interfaces, and the Python package. A link or an anchor that leads nowhere is an error.
"""

import argparse
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = "https://github.com/quintain-rl/quintain/blob/main/"
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
BLOCK = re.compile(r"(^```.*?^```|`[^`\n]+`|^(?: {4}|\t)[^\n]*$)", re.MULTILINE | re.DOTALL)


def prose(text, change):
    """The text with its prose changed, and its code as it is."""
    return "".join(part if i % 2 else change(part) for i, part in enumerate(BLOCK.split(text)))


class Site:
    def __init__(self, quintain, folder):
        self.quintain, self.pages, self.faults = quintain, folder / "docs", []
        self.pages.mkdir()

    def write(self, name, text):
        path = self.pages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return name

    def say(self, *arguments):
        return subprocess.run([self.quintain, *arguments], check=True, capture_output=True, text=True, env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}).stdout

    # The documents

    def document(self, source, name):
        """A page made from a document of the repository."""

        def lead(m):
            target = m[2]
            if re.match(r"[a-z]+:", target):
                return m[0]
            path = os.path.normpath(os.path.join(os.path.dirname(source), target))
            if not (ROOT / path).exists():
                self.faults.append(f"{source}: {target} leads nowhere")
            if path == "README.md":
                path = "docs/index.md"
            elif path == "docs/README.md":
                path = "docs/map.md"
            if path == "docs/tasks.md":
                page = m[3][1:] if m[3] else "index"
                return f"{m[1]}{relative(f'tasks/{page}.md', name)}{m[4]}"
            if path in ("docs/formats", "docs/decisions"):
                path += "/index.md"
            if path.startswith("docs/") and pathlib.Path(path).suffix in (".md", ".png", ".svg"):
                return f"{m[1]}{relative(path[5:], name)}{m[3] or ''}{m[4]}"
            return f"{m[1]}{SOURCE}{path}{m[3] or ''}{m[4]}"

        text = (ROOT / source).read_text(encoding="utf-8")
        text = prose(text, lambda part: LINK.sub(lead, part))
        text = re.sub(r"\n((?:[^\n|<>#-][^\n]*)\n)(?=(?:- |\|---|\* |\d+\. ))", r"\n\1\n", text)  # lists need an empty line before them
        return self.write(name, ("---\nsearch:\n  boost: 5\n---\n\n" if name == "settings.md" else "") + text)

    def documents(self):
        for path in sorted((ROOT / "docs").rglob("*")):
            name = path.relative_to(ROOT / "docs").as_posix()
            if path.suffix in (".png", ".svg", ".json"):
                (self.pages / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, self.pages / name)
            elif path.suffix == ".md" and name != "tasks.md":
                self.document(f"docs/{name}", "map.md" if name == "README.md" else name)
        for folder in ("formats", "decisions"):
            rows = "".join(f"- [{title(path)}]({path.name})\n" for path in sorted((ROOT / "docs" / folder).glob("*.md")))
            self.write(f"{folder}/index.md", f"# {folder.capitalize()}\n\n{rows}")
        self.document("README.md", "index.md")
        self.document("CHANGELOG.md", "changelog.md")
        shutil.copy(ROOT / ".ci/site/extra.css", self.pages / "extra.css")

    # The tasks and scenarios

    def tasks(self):
        head, *sections = re.split(r"^## ", (ROOT / "docs/tasks.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
        names = []
        for section in sections:
            name, _, text = section.partition("\n")
            levels = len(re.findall(r"^- level \d+:", text, re.MULTILINE))
            seen = "".join(self.specimen(name, level) for level in sorted({0, levels // 2, levels - 1}))
            text = re.split(r"^A problem of level", text, flags=re.MULTILINE)[0]
            names.append(name)
            self.write(f"tasks/{name}.md", f"# {name}\n\n{text}\n{seen}")
        head = re.sub(r"\]\(#(\w+)\)", lambda m: f"]({m[1]}.md)" if m[1] in names else m[0], head)
        head = prose(head, lambda part: re.sub(r"\]\((scoring|mixtures|curriculum)\.md", r"](../\1.md", part))
        return self.write("tasks/index.md", head), [f"tasks/{n}.md" for n in names]

    def specimen(self, name, level):
        said = self.say("tasks", "show", name, "--level", str(level))
        problem = said[said.index("\nPROBLEM") :].strip()
        return f"## A problem of level {level}\n\n```text\n{problem}\n```\n\n"

    def scenarios(self):
        names = re.findall(r"^(\w+)", self.say("scenarios", "list").partition("\n")[2], re.MULTILINE)
        for name in names:
            self.write(f"scenarios/{name}.md", f"# {name}\n\n```text\n{self.say('scenarios', 'show', name)}\n```\n")
        return [f"scenarios/{n}.md" for n in names]

    # The commands

    def command(self, *names):
        said = self.say(*names, "--help", "all")
        page = "-".join(names) or "quintain"
        below = re.search(r"^Commands:\n((?:  .*\n)+)", said, re.MULTILINE)
        below = [line.split()[0] for line in below[1].splitlines() if re.match(r"  \S", line)] if below else []
        deeper = []
        for one in below:
            if one != "help":
                deeper += self.command(*names, one)
        links = "".join(f"- [{' '.join((*names, n))}]({'-'.join((*names, n))}.md)\n" for n in below if n != "help")
        self.write(f"commands/{page}.md", f"# {' '.join(('quintain', *names))}\n\n```text\n{said}```\n\n{links}")
        return [f"commands/{page}.md", *deeper]

    # HTTP

    def interface(self, source, name):
        d = json.loads((ROOT / source).read_text(encoding="utf-8"))
        text = [f"# {d['info']['title']}\n", d["info"].get("description", ""), f"\n[OpenAPI document]({SOURCE}{source}).\n"]
        for path, methods in d["paths"].items():
            for method, of in methods.items():
                if method in ("parameters", "summary"):
                    continue
                text.append(f"\n## {method.upper()} {path.replace('{', '&#123;').replace('}', '&#125;')}\n\n{of.get('summary', '')}. {of.get('description', '')}\n")
                rows = [resolve(d, p) for p in (*methods.get("parameters", []), *of.get("parameters", []))]
                if rows:
                    text.append("\n| parameter | in | | |\n|---|---|---|---|\n" + "".join(f"| `{p['name']}` | {p['in']} | {kind(d, p.get('schema', {}))} | {cell(p.get('description', ''))} |\n" for p in rows))
                body = resolve(d, of.get("requestBody", {})).get("content", {})
                for media, what in body.items():
                    text.append(f"\nBody, `{media}`: {shape(d, what.get('schema', {}))}\n")
                text.append("\n| status | |\n|---|---|\n" + "".join(f"| {status} | {cell(answer(d, resolve(d, r)))} |\n" for status, r in of.get("responses", {}).items()))
        schemas = d.get("components", {}).get("schemas", {})
        if schemas:
            text.append("\n## Bodies\n")
        for one, schema in schemas.items():
            text.append(f"\n### {one}\n\n{schema.get('description', '')}\n\n{shape(d, schema)}\n")
        return self.write(name, "\n".join(text))

    # The Python package

    def package(self):
        modules = sorted(p.stem for p in (ROOT / "python/quintain").glob("*.py") if not p.stem.startswith("_"))
        return self.write("python-reference.md", "# Reference of the Python package\n\n::: quintain\n\n" + "\n".join(f"::: quintain.{m}\n" for m in modules))


def title(path):
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


class Page(html.parser.HTMLParser):
    """The links of a page, and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.add(value)
            elif name == "id" or tag == "a" and name == "name":
                self.anchors.add(value)


def dead_links(out):
    """The links of the site that lead nowhere in it."""
    pages = {path: Page(path) for path in sorted(out.rglob("*.html")) if path.name != "404.html"}
    for path, page in pages.items():
        for link in sorted(page.links):
            target, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            to = pathlib.Path(os.path.normpath(path.parent / target)) if target else path
            to = to / "index.html" if to.is_dir() else to
            if not to.exists() or anchor and to in pages and anchor not in pages[to].anchors:
                yield f"{path.relative_to(out)}: {link} leads nowhere"


def relative(target, page):
    return os.path.relpath(target, os.path.dirname(page) or ".")


def resolve(d, part):
    if "$ref" in part:
        for name in part["$ref"].removeprefix("#/").split("/"):
            d = d[name]
        return d
    return part


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def kind(d, schema):
    """A short name of a schema."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    for many in ("oneOf", "anyOf", "allOf"):
        if many in schema:
            return " or ".join(kind(d, s) for s in schema[many])
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(v)}`" for v in schema["enum"])
    if schema.get("type") == "array":
        return f"array of {kind(d, schema.get('items', {}))}"
    of = schema.get("type", "anything")
    return " or ".join(of) if isinstance(of, list) else of


def shape(d, schema):
    """A schema as a table of its fields, or as a short name."""
    fields = schema.get("properties")
    if not fields:
        return kind(d, schema)
    needed = schema.get("required", [])
    rows = "".join(f"| `{n}`{'' if n in needed else ', optional'} | {cell(kind(d, s))} | {cell(s.get('description', ''))} |\n" for n, s in fields.items())
    return f"\n\n| field | | |\n|---|---|---|\n{rows}"


def answer(d, response):
    bodies = [kind(d, c["schema"]) for c in response.get("content", {}).values() if "schema" in c]
    return response.get("description", "") + (f": {', '.join(dict.fromkeys(bodies))}" if bodies else "")


def navigation(site):
    """The pages in the order of the map, and those that are made."""
    nav = [{"Quintain": "index.md"}]
    sections = re.split(r"^## ", (ROOT / "docs/README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for section in sections:
        title, _, text = section.partition("\n")
        entries = [f for f in re.findall(r"\]\(([\w/.-]+\.md)\)", text) if not f.startswith("..") and f != "tasks.md"]
        nav.append({title: entries})
    tasks, each = site.tasks()
    pages = {folder: sorted(f"{folder}/{p.name}" for p in (ROOT / "docs" / folder).glob("*.md")) for folder in ("formats", "decisions")}
    nav += [
        {"Tasks": [tasks, *each]},
        {"Scenarios": site.scenarios()},
        {"Commands": site.command()},
        {"HTTP": [site.interface("hub/openapi.json", "http/hub.md"), site.interface("serve/openapi.json", "http/serve.md")]},
        {"Python": [site.package()]},
        {"Formats": ["formats/index.md", *pages["formats"]]},
        {"Decisions": ["decisions/index.md", *pages["decisions"]]},
        {"Map": ["map.md", "changelog.md"]},
    ]
    return nav


def main():
    o = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    o.add_argument("out", type=pathlib.Path)
    o.add_argument("--quintain", default="quintain")
    o.add_argument("--url", default="", help="address of the site, for its map for search engines; none: no such map")
    o = o.parse_args()
    quintain = shutil.which(o.quintain) or sys.exit(f"there is no program {o.quintain}: build it by make build, and give --quintain bin/quintain")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        site = Site(os.path.abspath(quintain), folder)
        site.documents()
        nav = navigation(site)
        config = (ROOT / ".ci/site/mkdocs.yml").read_text(encoding="utf-8").replace("[python]", f"[{ROOT / 'python'}]").replace("[.ci/site/", f"[{ROOT}/.ci/site/")
        listed = {p for group in nav for pages in group.values() for p in ([pages] if isinstance(pages, str) else pages)}
        left = sorted(p.relative_to(site.pages).as_posix() for p in site.pages.rglob("*.md") if p.relative_to(site.pages).as_posix() not in listed)
        config += f"docs_dir: {site.pages}\nsite_url: {json.dumps(o.url)}\nnot_in_nav: |\n" + "".join(f"  /{p}\n" for p in left or ["none"]) + yaml.safe_dump({"nav": nav}, allow_unicode=True, sort_keys=False)
        (folder / "mkdocs.yml").write_text(config, encoding="utf-8")
        done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", folder / "mkdocs.yml", "--site-dir", o.out.resolve()], env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, stderr=subprocess.PIPE, text=True)
        print("\n".join(line for line in done.stderr.splitlines() if not line.startswith("INFO")))  # --quiet would make --strict overlook its warnings
        if not o.url:
            for name in ("sitemap.xml", "sitemap.xml.gz"):
                (o.out / name).unlink(missing_ok=True)
    faults = site.faults + [f"docs/README.md, the map, does not name {p}" for p in left] + list(dead_links(o.out.resolve()))
    print("\n".join(faults))
    sys.exit(done.returncode or bool(faults))


if __name__ == "__main__":
    main()
