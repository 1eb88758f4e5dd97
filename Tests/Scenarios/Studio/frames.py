"""Frames that a scenario makes itself: JPEGs with the Exif that it wants."""
import random
import struct

NO_MARKER = bytes(range(255)) + b"\xfe"


def exif(make="Canon", model="EOS R5", artist=None, serial=None, captured="2026:06:13 14:03:27"):
    """The Exif of a picture, as TIFF in small-endian order."""
    main = [(0x010F, make), (0x0110, model), (0x0132, captured)] + ([(0x013B, artist)] if artist else [])
    inner = [(0x9003, captured)] + ([(0xA431, serial)] if serial else [])
    after = 8 + 2 + 12 * (len(main) + 1) + 4
    first, words = directory(main, after, pointer=0x8769)
    start = after + len(words)
    second, more = directory(inner, start + 2 + 12 * len(inner) + 4)
    return b"II*\0\x08\0\0\0" + first.replace(b"\xde\xad\xbe\xef", struct.pack("<I", start)) + words + second + more


def directory(fields, after, pointer=None):
    """A directory of texts, and the texts that have no room in it; `after` = where those will lie."""
    rows, words = [], b""
    for tag, text in fields:
        data = text.encode() + b"\0"
        place = data.ljust(4, b"\0") if len(data) <= 4 else struct.pack("<I", after + len(words))
        rows.append(struct.pack("<HHI", tag, 2, len(data)) + place)
        if len(data) > 4:
            words += data + b"\0" * (len(data) % 2)
    if pointer:
        rows.append(struct.pack("<HHI", pointer, 4, 1) + b"\xde\xad\xbe\xef")
    return struct.pack("<H", len(rows)) + b"".join(sorted(rows)) + b"\0\0\0\0", words


def segment(kind, data):
    return b"\xff" + bytes([kind]) + struct.pack(">H", len(data) + 2) + data


def jpeg(number, size=4000, **facts):
    """A whole picture that no other number makes."""
    grain = random.Random(number).randbytes(size).translate(NO_MARKER)
    frame = segment(0xC0, b"\x08" + struct.pack(">HH", 4000, 6000) + b"\x01\x01\x11\0")
    return b"\xff\xd8" + segment(0xE1, b"Exif\0\0" + exif(**facts)) + frame + segment(0xDA, b"\x01\x01\0\0\x3f\0") + grain + b"\xff\xd9"
