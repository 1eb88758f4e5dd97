#!/usr/bin/env python3
"""Counts how large the rooms, files and types of the sources are, and what there is more than one of.

    house.py                      the tree as it lies on disk
    house.py --at COMMIT          a commit instead
    house.py --against COMMIT     a commit beside it, in the column before

The figures show where the tree goes. They are no quotas and fail nothing; `Tests/ArchitectureTests` refuses.
"""

import argparse
import io
import re
import subprocess
import sys
import tarfile
from collections import defaultdict
from functools import cached_property
from pathlib import Path

from swift_source import File, functions, outer, stored, words

ROOT = Path(__file__).resolve().parent.parent
ENGINE = "Sources/FilmgateEngine"
# The rooms that a file passes through in a run. One that a tree does not have is not shown.
RUN_ROOMS = [f"{ENGINE}/{room}" for room in ("Run", "Sources", "Intake", "Line", "Naming", "Delivery")]
OTHER_ROOMS = ["Sources/filmgate/Service", "Sources/filmgate/Setup"]
# Libraries for tests and samples may start programs and listen as they need: "one of each" is about the others.
FOR_TESTS = {"FilmgateTesting", "CameraTesting", "VirtualCamera", "FilmgateSample"}
WORDS = "Tests/ArchitectureTests/WordTests.swift"
# Which function is a step, a reader decides: the page numbers them, and names the file of each.
WALK = "Sources/FilmgateCore/FilmgateCore.docc/Manual/OneAsset.md"
EACH_FILE = "## For each file"
LONGEST_FUNCTION, WIDEST_LINE = 50, 120

LOCKED = re.compile(r"\bMutex\b|\bAtomic\b|^ *(?:[a-z@]+ )*actor [A-Z]", re.M)
# One match is one place; setting up what posix_spawn is given is none. xdg-open, which a sign-in starts, is one.
SPAWN = re.compile(
    r"(?<!\w)posix_spawnp?\(|(?<![\w.])Process\(\)|(?<![\w.])v?fork\(|(?<![\w.])exec[lv]\w*\("
    r"|^import Subprocess\b", re.M)
# A reader of XML that is made by hand replaces `&lt;`; the others call libxml2 or Foundation.
XML = re.compile(
    r'\bcase "lt"|\bxml(?:Ctxt)?(?:Read|Parse)[A-Z]\w*\(|\bxmlNewTextReader\w*\(|\bxmlReaderFor\w+\(|\bXMLParser\(')
# listen(2), and accept(2) where it is called in a file of its own. SwiftNIO's ports (the FTP server) are not counted.
LISTEN = re.compile(
    r"(?<![\w.])(?:Glibc\.)?(?:listen\([\w.]+, \w+\)|accept4?\([\w.]+, (?:nil|&|\$|\w*[aA]ddress))")
# A type of our own that is a JSON value or text; a reader or writer beside one in its module is no second one.
JSON = re.compile(r"\w*JSON|JSON(?:Value|Object|Text|Array|Node|Tree)")
FOUNDATION_JSON = re.compile(r"\bJSON(?:Serialization|Encoder|Decoder)\b")


class Tree:
    """The sources of one commit, or those in the folder."""

    def __init__(self, title, texts):
        self.title = title
        texts = dict(texts)
        self.walk = texts.pop(WALK, None)
        files = [File(path, text) for path, text in sorted(texts.items())]
        swift = [file for file in files if file.path.endswith(".swift")]
        self.tests = [file for file in swift if is_test(file.path)]
        self.product = [file for file in swift if not is_test(file.path)]
        self.program = [file for file in self.product if file.module not in FOR_TESTS]
        self.c = [file for file in files if file.path.startswith("Sources/") and not file.path.endswith(".swift")]
        self.run = [file for folder in RUN_ROOMS for file in self.room(folder)]

    def room(self, folder):
        return [file for file in self.product if file.path.startswith(folder + "/")]

    @cached_property
    def declared(self):
        """The modules that declare a type of a name at the top level."""
        found = defaultdict(set)
        for file in self.product:
            for indent, name in file.types:
                if not indent:
                    found[name].add(file.module)
        return found

    @cached_property
    def spans(self):
        """Largest first: lines with extensions and nested types, stored properties, declarations, module, name."""
        found = defaultdict(lambda: [0, 0, 0])
        for file in self.product:
            for kind, name, body in outer(file.code):
                for owner in self.owner(name, file.module):
                    found[owner, name][0] += len(body)
                    found[owner, name][1] += 0 if kind in ("extension", "protocol") else sum(map(stored, body))
                    found[owner, name][2] += 1
        return sorted(((*span, *key) for key, span in found.items()), key=lambda span: (-span[0], span[3:]))

    def owner(self, name, module):
        """An extension in another module counts when only one module can be meant."""
        owners = self.declared.get(name, set())
        return [module] if module in owners else list(owners) if len(owners) == 1 else []

    @cached_property
    def functions(self):
        return sorted((size, f"{file.name}:{at}") for file in self.product for at, size in functions(file.code))

    @cached_property
    def largest_by_files(self):
        """As a folder shows it: `X.swift` with every `X+Y.swift`, whatever else they declare."""
        found = defaultdict(int)
        for file in self.product:
            found[re.sub(r"\+\w+$", "", file.name)] += file.lines
        return max((lines, name) for name, lines in found.items())


def metaphors():
    """The words that types may not be called after, and the folders where one of them is the thing's own name."""
    path = ROOT / WORDS
    text = path.read_text() if path.is_file() else ""
    found = re.search(r"static let metaphors[^\n]*= \[(.*?)\]", text, re.S)
    listed = set(re.findall(r'"(\w+)"', found[1])) if found else set()
    return listed, re.findall(r'^ +\("(\w+)", "([^"]+)", "', text, re.M)


def pictures(files):
    listed, named = metaphors()

    def is_picture(word, file):
        return word in listed and not any(word == own and file.path.startswith(folder) for own, folder in named)

    found = [
        f"{file.name}: {name}" for file in files for _, name in file.types
        if any(is_picture(word, file) for word in words(name))]
    return found if listed else None


def places(files, pattern):
    return [
        f"{file.name}:{file.code.count(chr(10), 0, hit.start()) + 1}" for file in files
        for hit in pattern.finditer(file.code)]


def holders(files, pattern):
    return [file.name for file in files if pattern.search(file.code)]


def xml_readers(files):
    """Literals are looked for, so the text is searched; only its lines of comment are left out."""
    return [file.name for file in files if XML.search(re.sub(r"^\s*//.*", "", file.text, flags=re.M))]


def json_values(tree):
    found = defaultdict(list)
    for name, owners in sorted(tree.declared.items()):
        for module in owners if JSON.fullmatch(name) else ():
            found[module].append(name)
    return [f"{module}: {', '.join(names)}" for module, names in sorted(found.items())]


def doubled(tree):
    return [f"{name}: {', '.join(sorted(owners))}" for name, owners in sorted(tree.declared.items()) if len(owners) > 1]


def walk(page):
    """The numbers of the page's part on each file, and the files that they name; "-" without the page."""
    if page is None:
        return "-", "-"
    part = page.split(EACH_FILE)[-1].split("\n## ")[0]
    steps = re.findall(r"^\d+\. `[\w.]+` \(\[[^]]+\]\(([^)]+)\)\)", part, re.M)
    return len(steps), len(set(steps))


def size(files):
    return f"{len(files):,} / {sum(file.lines for file in files):,}"


def wide(files):
    return sum(len(line) > WIDEST_LINE for file in files for line in file.text.split("\n"))


# Figures are a label, the aim (None where there is none) and a value; a list of places counts as its length.


def run_figures(tree):
    steps, files = walk(tree.walk)
    yield "steps of one asset", 55, steps
    yield "files of these steps", 32, files
    for folder in RUN_ROOMS + OTHER_ROOMS:
        if tree.room(folder):
            yield f"{folder.removeprefix('Sources/')}, files / lines", None, size(tree.room(folder))
    yield "run rooms of the engine, files", None, len(tree.run)
    yield "run rooms of the engine, lines", 4700, sum(file.lines for file in tree.run)
    yield "run rooms of the engine, types", None, sum(len(file.types) for file in tree.run)
    yield "their files with Mutex, actor or Atomic", 15, holders(tree.run, LOCKED)


def size_figures(tree):
    yield "product, files / lines", None, size(tree.product)
    yield "tests, files / lines", None, size(tree.tests)
    yield "median file, lines", None, sorted(file.lines for file in tree.product)[len(tree.product) // 2]
    yield "largest file, lines", 400, max(file.lines for file in tree.product)
    yield "largest X.swift with its X+Y.swift, lines", 400, tree.largest_by_files[0]
    yield "largest type over all its files, lines", 400, tree.spans[0][0]
    yield "... its stored properties", None, tree.spans[0][1]
    yield "functions with a body", None, len(tree.functions)
    yield "longest function, lines", LONGEST_FUNCTION, tree.functions[-1][0]
    long = sum(length > LONGEST_FUNCTION for length, _ in tree.functions)
    yield f"functions over {LONGEST_FUNCTION} lines", 0, long
    yield f"product, lines over {WIDEST_LINE} columns", None, wide(tree.product)
    yield f"tests, lines over {WIDEST_LINE} columns", None, wide(tree.tests)


def name_figures(tree):
    yield "types, with nested ones", None, sum(len(file.types) for file in tree.product)
    yield "types called after a picture, product", 0, pictures(tree.product)
    yield "types called after a picture, tests", 0, pictures(tree.tests)
    yield "outer types of one name in several modules", None, doubled(tree)


def one_figures(tree):
    yield "places that start a program", 1, places(tree.program + tree.c, SPAWN)
    yield "... in libraries for tests", None, places([f for f in tree.product if f.module in FOR_TESTS], SPAWN)
    yield "files that read XML", 1, xml_readers(tree.program)
    yield "modules with a JSON value of their own", 1, json_values(tree)
    yield "files that use Foundation's JSON", None, holders(tree.program, FOUNDATION_JSON)
    yield "files that wait for clients (listen, accept)", 1, holders(tree.program, LISTEN)


def figures(tree):
    parts = (run_figures, size_figures, name_figures, one_figures)
    return {label: (aim, value) for part in parts for label, aim, value in part(tree)}


# What is above its aim for a reason that decision 51 gives, and by how much at most: it may only shrink.
ABOVE = {"run rooms of the engine, lines": 12_400, "their files with Mutex, actor or Atomic": 26, "files that read XML": 2}


def count(value):
    return len(value) if isinstance(value, list) else value


def exceeded(rows):
    """Figures that are above what they may be."""
    for label, (aim, value) in rows.items():
        most = ABOVE.get(label, aim)
        if most is not None and value is not None and count(value) > most:
            yield f"{label}: {count(value):,}, at most {most:,}"


def shown(value):
    value = count(value)
    return f"{value:,}" if isinstance(value, int) else "no list" if value is None else value


def is_source(name):
    folders = ("Sources/", "Plugins/", "Tests/")
    return name == WALK or name.startswith(folders) and name.endswith((".swift", ".c", ".h"))


def is_test(name):
    return name.startswith("Tests/") or (name.startswith("Plugins/") and "/Tests/" in name)


def git(*words):
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True)
    if done.returncode != 0:
        sys.exit(f"house.py: git {' '.join(words)}: {done.stderr.decode().strip()}")
    return done.stdout


def on_disk():
    """What git does not ignore; a link to another source is not counted twice."""
    names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").decode().split("\0")
    for name in sorted(set(filter(is_source, names))):
        path = ROOT / name
        if path.is_file() and not path.is_symlink():
            yield name, path.read_text(errors="replace")


def archived(commit):
    """Read from git's archive straight away: nothing is checked out, and nothing is left behind."""
    whole = git("rev-parse", "--verify", "--end-of-options", commit + "^{commit}").decode().strip()
    with tarfile.open(fileobj=io.BytesIO(git("archive", "--format=tar", whole))) as archive:
        for member in archive:
            if member.isfile() and is_source(member.name):
                yield member.name, archive.extractfile(member).read().decode(errors="replace")


def print_table(trees, counted):
    row = "{:46}" + "{:>20}" * len(trees) + "{:>10}"
    print(row.format("", *(tree.title for tree in trees), "at most"))
    # The later tree's order; a room that only the earlier one has comes last.
    for label in dict.fromkeys(label for rows in reversed(counted) for label in rows):
        aims = [rows[label][0] for rows in counted if label in rows]
        cells = [shown(rows[label][1]) if label in rows else "-" for rows in counted]
        print(row.format(label, *cells, "" if aims[0] is None else shown(aims[0])))
    print(f"steps of one asset: as {WALK} numbers them")
    if not metaphors()[0]:
        print(f"no list: {WORDS} does not list words that types may not be called after")


def print_places(tree, rows):
    print(f"\n{tree.title}: largest types (lines, stored properties, declaration and extensions)")
    for lines, properties, parts, module, name in tree.spans[:10]:
        print(f"  {lines:5} {properties:4} {parts:4}  {module}.{name}")
    print(f"{tree.title}: largest X.swift with its X+Y.swift\n  {tree.largest_by_files[1]}")
    print(f"{tree.title}: longest function\n  {tree.functions[-1][1]}")
    for label, (_, value) in rows.items():
        if isinstance(value, list) and value:
            print(f"{tree.title}: {label}", *value, sep="\n  ")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--at", metavar="COMMIT", help="count this commit instead of the folder")
    parser.add_argument("--against", metavar="COMMIT", help="count this commit, too, in the column before")
    parser.add_argument("--check", action="store_true", help="print only figures that are above what they may be, and end 1 where there is one")
    options = parser.parse_args()
    if options.check:
        found = list(exceeded(figures(Tree("here", on_disk()))))
        sys.exit("\n".join(found) or 0)
    trees = [Tree(options.against, archived(options.against))] if options.against else []
    trees.append(Tree(options.at, archived(options.at)) if options.at else Tree("here", on_disk()))
    counted = [figures(tree) for tree in trees]
    print_table(trees, counted)
    for tree, rows in zip(trees, counted):
        print_places(tree, rows)


if __name__ == "__main__":
    main()
