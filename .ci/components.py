#!/usr/bin/env python3
"""What the programs of a release contain, by NOTICE and by what the package manager resolved.

components.py check      fails where a resolved package, or the text of a licence, is missing in NOTICE
components.py copyright  prints Debian's copyright file (DEP-5)
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Their texts are in LICENSE, and on every Debian.
COMMON = {"Apache-2.0", "CC0-1.0"}
DEBIAN_NAMES = {"MIT": "Expat", "BSD-2-Clause": "BSD-2-clause", "BSD-3-Clause": "BSD-3-clause"}


class Notice:
    def __init__(self):
        self.works, self.unused, self.texts = [], [], {}
        unfolded = re.sub(r"\n (?! )", " ", (ROOT / "NOTICE").read_text(encoding="utf-8").split("## Texts")[0])
        for stanza in unfolded.split("\n\n"):
            fields = [line.split(": ", 1) for line in stanza.splitlines() if re.match(r"[A-Z][a-z]+: ", line)]
            self.unused += [name for key, value in fields if key == "Unused" for name in value.split(", ")]
            if fields and fields[0][0] == "Work":
                self.works.append(dict(fields) | {"Copyright": [value for key, value in fields if key == "Copyright"]})
        for text in (ROOT / "NOTICE").read_text(encoding="utf-8").split("\nText: ")[1:]:
            name, _, body = text.partition("\n")
            self.texts[name] = body.rstrip("\n")


def parts(expression):
    """The licences and exceptions of an SPDX expression."""
    return set(re.split(r" (?:AND|WITH) ", expression))


def resolved():
    pins = json.loads((ROOT / "Package.resolved").read_text(encoding="utf-8"))["pins"]
    return {re.sub(r"\.git$", "", pin["location"]): pin["state"] for pin in pins}


def check(notice):
    wrong = []
    sources = {work.get("Source") for work in notice.works}
    pins = resolved()
    for place in pins:
        if place not in sources and place.rsplit("/", 1)[1] not in notice.unused:
            wrong.append(f"{place} was resolved and is not named")
    known = {place.rsplit("/", 1)[1] for place in pins}
    wrong += [f"{name} is named as unused and was not resolved" for name in notice.unused if name not in known]
    names = {work["Work"] for work in notice.works}
    for work in notice.works:
        wrong += [f"{work['Work']} is in {one}, which is not named" for one in work.get("In", "").split(", ") if one and one not in names]
        wrong += [f"{work['Work']}: no text of {one}" for one in sorted(parts(work["License"]) - COMMON - set(notice.texts))]
    return [f"NOTICE: {one}" for one in wrong]


def copyright_file(notice):
    def debian(expression):
        for spdx, name in DEBIAN_NAMES.items():
            expression = re.sub(rf"\b{re.escape(spdx)}\b", name, expression)
        return re.sub(r"WITH (\w+)-exception", r"with \1 exception", expression).replace(" AND ", " and ")

    own = ROOT.joinpath("NOTICE").read_text(encoding="utf-8").splitlines()[1].removeprefix("Copyright ")
    out = ["Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/", "Upstream-Name: Filmgate", "",
           "Files: *", f"Copyright: {own}", "License: Apache-2.0", "", "Files: usr/lib/filmgate/*"]
    holders = dict.fromkeys([own] + [one for work in notice.works for one in work["Copyright"]])
    out.append("Copyright: " + "\n           ".join(holders))
    licences = dict.fromkeys(["Apache-2.0"] + [one for work in notice.works for one in work["License"].split(" AND ")])
    out.append("License: " + " and ".join(map(debian, licences)))
    out.append("Comment: The programs contain the following works, compiled in.")
    out += [f" {work['Work']}: {debian(work['License'])}" for work in notice.works]
    out += ["", "License: Apache-2.0", " On Debian systems the whole text of the Apache License, version 2.0, is in",
            " /usr/share/common-licenses/Apache-2.0.", "", "License: CC0-1.0",
            " On Debian systems the whole text of the Creative Commons dedication CC0 1.0 is in",
            " /usr/share/common-licenses/CC0-1.0."]
    for name, text in notice.texts.items():
        if name.endswith("-exception"):
            text = " The Apache License, version 2.0 (/usr/share/common-licenses/Apache-2.0), and:\n .\n" + text
            name = f"Apache-2.0 WITH {name}"
        out += ["", f"License: {debian(name)}", text]
    return "\n".join(out)


def main():
    notice = Notice()
    if sys.argv[1:] == ["check"]:
        wrong = check(notice)
        print("\n".join(wrong) if wrong else f"{len(notice.works)} works named, {len(resolved())} packages resolved.")
        return 1 if wrong else 0
    if sys.argv[1:] == ["copyright"]:
        print(copyright_file(notice))
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
