"""Cards of very many small pictures, written quickly: a whole JPEG head, then a few bytes that differ."""
import os
import struct


def head_of(picture):
    """The head of a JPEG up to and with its SOS segment."""
    with open(picture, "rb") as file:
        data = file.read(1 << 16)
    at = 2
    while data[at + 1] != 0xDA:
        at += 2 + struct.unpack(">H", data[at + 2:at + 4])[0]
    return data[:at + 2 + struct.unpack(">H", data[at + 2:at + 4])[0]]


def card(path, picture, count, first=0, per_folder=5000):
    """`count` different pictures of about two kilobytes each; `first` makes other ones."""
    head = head_of(picture)
    for index in range(count):
        folder = os.path.join(path, "DCIM", f"{100 + index // per_folder}BENCH")
        if index % per_folder == 0:
            os.makedirs(folder)
        number = first + index
        grain = b"".join(struct.pack("<I", (number * 2_654_435_761 + k * 40_503) & 0xFEFEFEFE) for k in range(64))
        with open(os.path.join(folder, f"IMG_{index % per_folder:04d}.JPG"), "wb") as file:
            file.write(head + struct.pack("<I", number & 0x7F7F7F7F) + struct.pack("<I", number >> 7 & 0x7F7F7F7F) + grain + b"\xff\xd9")
    return path
