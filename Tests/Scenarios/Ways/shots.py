"""Forty shots of four makes, ten each, made from the sample card: other times, other bytes, the names that each make gives."""
import os
import subprocess

MAKES = {
    # make: folder, stem, files to make it from (extension: sample), what is spelled differently in them
    "canon": ("100CANON", "IMG_{:04}", {"JPG": "100CANON/IMG_0002.JPG", "CR2": "100CANON/IMG_0002.CR2"}, []),
    "nikon": ("101ND850", "DSC_{:04}", {"JPG": "101ND850/DSC_0101.JPG", "NEF": "101ND850/DSC_0101.NEF"}, []),
    "sony": ("102MSDCF", "DSC{:05}", {"JPG": "102MSDCF/DSC00201.JPG", "ARW": "102MSDCF/DSC00201.ARW"}, []),
    "fujifilm": ("103_FUJI", "DSCF{:04}", {"JPG": "101ND850/DSC_0102.JPG"},
                 [(b"NIKON CORPORATION", b"FUJIFILM"), (b"NIKON D850", b"X-T5")]),
}
XMP = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="{rating}" xmp:Label="{label}"/></rdf:RDF></x:xmpmeta>
"""


def changed(data, spellings, time, number):
    """The same file with another time and other bytes, its structure untouched."""
    for old, new in spellings:
        data = data.replace(old, new + b"\0" * (len(old) - len(new)))
    at = data.find(b"2026:05:1")
    while at >= 0:
        data = data[:at] + time + data[at + 19:]
        at = data.find(b"2026:05:1", at + 19)
    mark = b"shot %08d" % number
    if data.startswith(b"\xff\xd8"):
        return data[:2] + b"\xff\xfe" + (len(mark) + 2).to_bytes(2, "big") + mark + data[2:]
    return data + mark


def make(program, place):
    """Writes `place/MAKE/DCIM/…`; returns the number of files by make."""
    sample = os.path.join(place, ".sample")
    subprocess.run([program, "sample", "card", sample], check=True, stdout=subprocess.DEVNULL)
    counts, number = {}, 0
    for make_name, (folder, stem, sources, spellings) in MAKES.items():
        base = os.path.join(place, make_name, "DCIM", folder)
        os.makedirs(base)
        for shot in range(10):
            number += 1
            name, time = stem.format(100 + shot), b"2026:06:02 18:%02d:%02d" % (number % 60, shot * 5 + 3)
            for ext, source in sources.items():
                if ext != "JPG" and shot % 2:
                    continue
                with open(os.path.join(sample, "DCIM", source), "rb") as file:
                    data = changed(file.read(), spellings, time, number)
                write(f"{base}/{name}.{ext}", data)
            if make_name == "canon" and shot % 5 == 0:
                write(f"{base}/{name}.XMP", XMP.format(rating=shot % 5 + 1, label=f"shot {number}").encode())
        counts[make_name] = len(os.listdir(base))
    return counts


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    when = 1_780_000_000 + int.from_bytes(data[-2:], "big") % 1000
    os.utime(path, (when, when))
