"""Frames that a scenario makes itself: JPEGs with the Exif that it wants, and what lies beside them."""
import io
import random
import struct
import wave


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


# Code lengths of the usual table for the first value of a block (ITU-T T.81, table K.3), and a table with the end of a block alone.
FIRST = bytes([0, 1, 5, 1, 1, 1, 1, 1, 1]) + bytes(7) + bytes(range(12))
REST = bytes([1]) + bytes(15) + b"\0"
CODES = {2: "011", 3: "100", 4: "101"}


def scan(grain, blocks):
    """Grey blocks, each a little lighter or darker than the one before."""
    bits, light = [], 0
    for _ in range(blocks):
        length = grain.choice((2, 3, 4))
        value = grain.randrange(1 << length - 1, 1 << length)
        up = light < 0 or (light < 40 and grain.random() < 0.5)
        light += value if up else -value
        bits.append(CODES[length] + format(value if up else value ^ (1 << length) - 1, f"0{length}b") + "0")
    text = "".join(bits)
    text += "1" * (-len(text) % 8)
    return int(text, 2).to_bytes(len(text) // 8, "big").replace(b"\xff", b"\xff\0")


def jpeg(number, size=4000, width=240, **facts):
    """A whole picture that no other number makes, of at least so many bytes, half as wide again as it is high."""
    grain, height = random.Random(number), width * 2 // 3
    tables = segment(0xDB, b"\0" + bytes([16]) * 64) + segment(0xC4, b"\0" + FIRST) + segment(0xC4, b"\x10" + REST)
    frame = segment(0xC0, b"\x08" + struct.pack(">HH", height, width) + b"\x01\x01\x11\0")
    end = segment(0xDA, b"\x01\x01\0\0\x3f\0") + scan(grain, width * height // 64) + b"\xff\xd9"
    start, rest = b"\xff\xd8" + segment(0xE1, b"Exif\0\0" + exif(**facts)), b""
    while len(start) + len(rest) + len(tables) + len(frame) + len(end) < size:
        rest += segment(0xFE, grain.randbytes(min(60_000, size)))
    return start + rest + tables + frame + end


def raw(number, **facts):
    """What a RAW begins with, which no other number makes: the same Exif in a TIFF."""
    return exif(**facts) + random.Random(number).randbytes(4000)


def memo(number):
    """A short sound that no other number makes."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(random.Random(number).randbytes(8000))
    return out.getvalue()
