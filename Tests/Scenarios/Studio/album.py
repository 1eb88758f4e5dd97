"""A page of the pictures that the scenarios took: first those that `pictures.md` names, each with what has to be seen."""
import html
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
ROW = re.compile(r"^\| `([\w-]+)` \| (.+) \|$")


def named():
    """Names of pictures, and what to look at in each."""
    with open(os.path.join(HERE, "pictures.md"), encoding="utf-8") as file:
        return dict(found.groups() for found in map(ROW.match, file) if found)


def taken(folder):
    """Files of each name, the narrowest window first."""
    found = {}
    for file in os.listdir(folder):
        name, _, width = file.removesuffix(".png").rpartition("-")
        if file.endswith(".png") and width.isdigit():
            found.setdefault(name, []).append((int(width), file))
    return {name: [file for _, file in sorted(files)] for name, files in found.items()}


def write(folder):
    """Writes `index.html`; the names of which there is no picture."""
    words, pictures = named(), taken(folder)
    rest = sorted(set(pictures) - set(words))
    parts = [section(name, pictures[name], words[name]) for name in words if name in pictures] + [section(name, pictures[name], "") for name in rest]
    with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as file:
        file.write('<!doctype html><meta charset="utf-8"><title>Pictures of the page</title>\n<style>img { max-height: 30rem; margin: .3rem; border: 1px solid }</style>\n')
        file.writelines(parts)
    return [name for name in words if name not in pictures]


def section(name, files, words):
    images = "".join(f'<a href="{file}"><img loading="lazy" alt="{file}" src="{file}"></a>' for file in map(html.escape, files))
    return f"<h2>{html.escape(name)}</h2>\n<p>{html.escape(words)}</p>\n<p>{images}</p>\n"
