"""Validates every pipeline of the repository against the schema in the file given: schema.py SCHEMA.json"""

import json
import pathlib
import re
import sys

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
BROKEN = ROOT / "Tests/FilmgateEngineTests/Fixtures/broken"
# Mistakes that a schema can see; the others (order, references, templates) are for `check` alone.
SEEN = """unknown-key unknown-section unknown-module wrong-kind wrong-type no-unit inline-secret misspelt-secret secret-as-word bare-word
not-indented two-modules sources-as-map targets-as-list unknown-kind no-version newer-version missing-option""".split()


class Loader(yaml.SafeLoader):
    """Plain values as YAML 1.2 reads them, as editors do: no dates, no `yes`, no octal."""


Loader.yaml_implicit_resolvers = {}
Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(~|null|Null|NULL|)$"), list("~nN") + [""])
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?[0-9]+$"), list("-+0123456789"))
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?(\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+)$"), list("-+.0123456789"))


def blocks(path):
    """The yaml blocks of a Markdown file that are whole pipelines."""
    for text in re.findall(r"^```ya?ml\n(.*?)^```", path.read_text(), re.M | re.S):
        if re.search(r"^version:", text, re.M):
            yield text


def documents():
    for folder in ("pipelines", "Plugins"):
        for path in sorted((ROOT / folder).rglob("*.yaml")):
            yield path.relative_to(ROOT), path.read_text()
    for path in sorted(ROOT.glob("*.md")) + sorted((ROOT / "Plugins").rglob("*.md")):
        for number, text in enumerate(blocks(path), 1):
            yield f"{path.relative_to(ROOT)} (block {number})", text


def main():
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    failed = count = 0
    for name, text in documents():
        document = yaml.load(text, Loader)
        # A module's example may be the one section that it is about.
        if "version" not in document:
            document = {"version": 1, "profiles": [], **document}
        count += 1
        for error in validator.iter_errors(document):
            best = jsonschema.exceptions.best_match([error])
            print(f"{name}: {'/'.join(map(str, best.absolute_path))}: {best.message[:300]}", file=sys.stderr)
            failed += 1
    for name in SEEN:
        if validator.is_valid(yaml.load((BROKEN / f"{name}.yaml").read_text(), Loader)):
            print(f"broken/{name}.yaml: the schema does not see the mistake", file=sys.stderr)
            failed += 1
    if count == 0:
        sys.exit("No pipelines found.")
    print(f"{count} pipelines validate, {len(SEEN)} broken ones do not." if not failed else f"{failed} surprises.")
    sys.exit(1 if failed else 0)


main()
