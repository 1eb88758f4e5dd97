#!/usr/bin/env python3
"""What the programs of a release contain, by NOTICE and by what the package manager resolved.

components.py check                fails where a resolved package, or the text of a licence, is missing in NOTICE
components.py copyright            prints Debian's copyright file (DEP-5)
components.py libraries PROGRAM    prints the Debian packages of the libraries that a program loads
components.py spdx PREFIX          prints the components of the programs installed below PREFIX, as SPDX 2.3
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Its text is LICENSE, and on every Debian.
COMMON = {"Apache-2.0"}
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
            " /usr/share/common-licenses/Apache-2.0."]
    for name, text in notice.texts.items():
        if name.endswith("-exception"):
            text = " The Apache License, version 2.0 (/usr/share/common-licenses/Apache-2.0), and:\n .\n" + text
            name = f"Apache-2.0 WITH {name}"
        out += ["", f"License: {debian(name)}", text]
    return "\n".join(out)


def said(*command):
    """What a command prints; nothing where it fails or is not there."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return ""


def libraries(program):
    """The libraries that a program names itself: (name, Debian package, version), the latter two empty where no package has it."""
    paths = dict(re.findall(r"(\S+) => (/\S+)", said("ldd", program)))
    names = [name for name in re.findall(r"\(NEEDED\).*\[(.*)\]", said("readelf", "-d", program)) if name in paths]
    # dpkg knows /usr/lib by its older name, /lib, too.
    places = {name: {paths[name], paths[name].removeprefix("/usr"), os.path.realpath(paths[name])} for name in names}
    owners = {}
    for line in said("dpkg", "-S", *set().union(*places.values())).splitlines():
        package, _, path = line.partition(": ")
        owners[path] = package
    versions = dict(re.findall(r"(\S+) (\S+)\n", said("dpkg-query", "-W", "-f=${Package} ${Version}\n", *set(owners.values()))))
    packages = {name: next((owners[place] for place in places[name] if place in owners), "").split(":")[0] for name in names}
    return [(name, package, versions.get(package, "")) for name, package in packages.items()]


class Document:
    """An SPDX document in the making."""

    def __init__(self):
        self.packages, self.relations = {}, []

    def add(self, name, kind, licence, version="", copyright="NOASSERTION", location="NOASSERTION", **more):
        # A name that the system's packages and the compiled-in works share (ICU) must not make one of two.
        identity = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", f"{kind}-{name}")
        self.packages[identity] = {
            "SPDXID": identity, "name": name, "downloadLocation": location, "filesAnalyzed": False, "licenseConcluded": licence,
            "licenseDeclared": licence, "copyrightText": copyright, **({"versionInfo": version} if version else {}), **more,
        }
        return identity

    def relate(self, one, how, other):
        self.relations.append({"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other})


def spdx(notice, prefix):
    pins, document = resolved(), Document()
    version = said(f"{prefix}/bin/filmgate", "--version").strip()
    toolchain = re.search(r"swift-([\d.]+)-", said("swift", "--version"))
    programs = []
    for path in ("bin/filmgate", "libexec/filmgate/filmgate-gphoto2", "libexec/filmgate/filmgate-previews"):
        digest = hashlib.sha256(Path(prefix, path).read_bytes()).hexdigest()
        programs.append(document.add(
            Path(path).name, "Program", "Apache-2.0", version, "2026 The Filmgate authors", packageFileName=path,
            primaryPackagePurpose="APPLICATION", checksums=[{"algorithm": "SHA256", "checksumValue": digest}]))
        for name, release in sorted({(package or name, release) for name, package, release in libraries(Path(prefix, path))}):
            library = document.add(name, "Library", "NOASSERTION", release, comment="Not included: the system's own is loaded.")
            document.relate(programs[-1], "DYNAMIC_LINK", library)
    identities = {}
    for work in notice.works:
        pin, swift = pins.get(work.get("Source")), work["Work"] in ("Swift", "Foundation", "Dispatch")
        release = pin["version"] if pin else toolchain.group(1) if swift and toolchain else ""
        more = {"comment": work["Note"]} if "Note" in work else {}
        if pin:
            place = work["Source"].removeprefix("https://")
            more |= {"sourceInfo": f"revision {pin['revision']}", "externalRefs": [{
                "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:swift/{place}@{release}"}]}
        location = f"git+{work['Source']}@{release}" if pin else work.get("Source", "NOASSERTION")
        one = document.add(work["Work"], "Work", work["License"], release, "\n".join(work["Copyright"]), location, **more)
        identities[work["Work"]] = one
        # The processes around C libraries are Swift without Foundation and without packages.
        for program in ([] if "In" in work else programs if work["Work"] == "Swift" else programs[:1]):
            document.relate(program, "STATIC_LINK", one)
    for work in notice.works:
        for outer in filter(None, work.get("In", "").split(", ")):
            document.relate(identities[outer], "CONTAINS", identities[work["Work"]])
    moment = int(os.environ.get("SOURCE_DATE_EPOCH") or said("git", "-C", str(ROOT), "log", "-1", "--format=%ct") or time.time())
    content = hashlib.sha256(json.dumps(document.packages, sort_keys=True).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"filmgate-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/filmgate-{version}-{content}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment)), "creators": ["Tool: filmgate-components"]},
        "documentDescribes": programs, "packages": list(document.packages.values()), "relationships": document.relations,
    }


def main():
    notice = Notice()
    if sys.argv[1:] == ["check"]:
        wrong = check(notice)
        print("\n".join(wrong) if wrong else f"{len(notice.works)} works named, {len(resolved())} packages resolved.")
        return 1 if wrong else 0
    if sys.argv[1:] == ["copyright"]:
        print(copyright_file(notice))
    elif sys.argv[1:2] == ["libraries"] and len(sys.argv) == 3:
        print("\n".join(sorted({package or name for name, package, _ in libraries(sys.argv[2])})))
    elif sys.argv[1:2] == ["spdx"] and len(sys.argv) == 3:
        print(json.dumps(spdx(notice, sys.argv[2]), indent=1, ensure_ascii=False))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
