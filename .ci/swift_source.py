"""Reads Swift line by line, as far as `house.py` needs it: files are formatted, so blocks end where they began."""

import re
from dataclasses import dataclass
from functools import cached_property

MODIFIERS = "public|package|internal|private|fileprivate|final|indirect|open|nonisolated|distributed"
PREFIX = rf"(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:{MODIFIERS})(?:\(\w+\))?\s+)*"
TYPE = re.compile(rf"^( *){PREFIX}(?:struct|class|enum|actor|protocol)\s+([A-Z]\w*)", re.M)
OUTER = re.compile(rf"^{PREFIX}(struct|class|enum|actor|protocol|extension)\s+([A-Z]\w*)")
FUNCTION = re.compile(r"^( *)(?:@?[\w.]+(?:\([^)]*\))? )*(?:func \S|init[?!]?[(<])")
STORED = re.compile(rf"^    {PREFIX}(?:(?:lazy|weak|unowned(?:\(unsafe\))?)\s+)?(?:let|var)\s+(.*)")
COMPUTED = re.compile(r"[^={]*\{(?!.*\b(?:didSet|willSet)\b)")
TOKEN = re.compile(r'//[^\n]*|/\*|#*"')
PARENTHESIS = re.compile(r'[()]|#*"')


@dataclass
class File:
    path: str
    text: str

    @cached_property
    def lines(self):
        return self.text.count("\n")

    @cached_property
    def code(self):
        """Without comments and without what stands in literals, like `CodeText` of the architecture tests."""
        return stripped(self.text)

    @cached_property
    def types(self):
        """The names of the types that it declares, nested ones too, each with its indentation."""
        return TYPE.findall(self.code)

    @property
    def module(self):
        return self.path.split("/")[1]

    @property
    def name(self):
        return re.sub(r"^(Sources|Plugins)/|(?<=/)Sources/", "", self.path).removesuffix(".swift")


def stripped(text):
    out, at = [], 0
    while found := TOKEN.search(text, at):
        out.append(text[at:found.start()])
        at = found.end()
        if found[0] == "/*":
            end = text.find("*/", at)
            end = len(text) if end < 0 else end + 2
            out.append("\n" * text.count("\n", at, end))
            at = end
        elif found[0][-1] == '"':
            at = literal(text, found.start(), out)
    return "".join(out) + text[at:]


def literal(text, start, out):
    """Skips a literal but keeps its line breaks and the code of its interpolations; returns where it ends."""
    at = text.index('"', start)
    signs = "#" * (at - start)
    quote = '"""' if text.startswith('"""', at) else '"'
    stop = re.compile(re.escape(quote + signs) + "|" + re.escape("\\" + signs))
    at += len(quote)
    while found := stop.search(text, at):
        out.append("\n" * text.count("\n", at, found.start()))
        at = found.end()
        if found[0][0] == '"':
            out.append('""')
            return at
        if text.startswith("(", at):
            at = interpolation(text, at, out)
        else:
            out.append("\n" * text.count("\n", at, at + 1))
            at += 1
    return len(text)


def interpolation(text, at, out):
    depth = 0
    while found := PARENTHESIS.search(text, at):
        out.append(text[at:found.start()])
        if found[0][-1] == '"':
            at = literal(text, found.start(), out)
            continue
        at, depth = found.end(), depth + (1 if found[0] == "(" else -1)
        out.append(found[0])
        if depth == 0:
            return at
    return len(text)


def block_end(lines, index, indent):
    """The line that closes what begins at `index`; `index` itself when that has no block of further lines."""
    if "{" in lines[index] and lines[index].count("{") <= lines[index].count("}"):
        return index
    for end in range(index + 1, len(lines)):
        if not lines[end].strip():
            continue
        if not lines[end].startswith(indent):
            return index
        # A long head goes on with `)` or with `{` on a line of its own.
        if lines[end][len(indent)] not in " ){#":
            return end if lines[end][len(indent)] == "}" else index
    return index


def outer(code):
    """Kind, name and lines of every type and every extension at the top level."""
    lines = code.split("\n")
    for index, line in enumerate(lines):
        if line[:1].strip() and (found := OUTER.match(line)):
            yield found[1], found[2], lines[index:block_end(lines, index, "") + 1]


def functions(code):
    """First line and length of every function that has a body."""
    lines = code.split("\n")
    for index, line in enumerate(lines):
        if ("func " in line or "init" in line) and (found := FUNCTION.match(line)):
            end = block_end(lines, index, found[1])
            if end > index or "{" in line:
                yield index + 1, end - index + 1


def stored(line):
    """How many stored properties of the instance a line of a type's body declares."""
    found = STORED.match(line)
    if not found or COMPUTED.match(found[1]):
        return 0
    flat, depth = "", 0
    for character in found[1].replace("->", ""):
        depth += (character in "([{<") - (character in ")]}>")
        flat += character if depth == 0 else " "
    return sum(bool(re.match(r" *\w+ *[:=]", part)) for part in flat.split(","))


def words(name):
    """The words that a name is made of, in the singular, like `TypeName` of the architecture tests."""
    for word in re.findall(r"[A-Z]+(?![a-z])[0-9]*|[A-Z][a-z0-9]*", name):
        yield word[:-2] if word.endswith("sses") else re.sub("(?<!s)s$", "", word)
