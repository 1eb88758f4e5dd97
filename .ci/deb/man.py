#!/usr/bin/env python3
"""Manual pages from the program's own description of itself: man.py PROGRAM DIRECTORY"""
import json
import os
import subprocess
import sys


def escape(text):
    lines = text.replace("\\", "\\e").replace("-", "\\-").split("\n")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)


def option(argument):
    names = []
    for name in argument.get("names", []):
        dashes = "--" if name["kind"] == "long" else "-"
        names.append(dashes + name["name"])
    value = argument.get("valueName", "value")
    if argument["kind"] == "positional":
        return f"<{value}>"
    return ", ".join(names) + (f" <{value}>" if argument["kind"] == "option" else "")


def page(command, path, version):
    name = "-".join(path)
    out = [f'.TH {name.upper()} 1 "" "filmgate {version}" "Filmgate"', ".SH NAME", f"{escape(name)} \\- {escape(command.get('abstract', ''))}"]
    arguments = [one for one in command.get("arguments", []) if one.get("shouldDisplay", True)]
    out += [".SH SYNOPSIS", f".B {escape(' '.join(path))}"]
    out += [("[" if one.get("isOptional") else "") + escape(option(one)) + ("]" if one.get("isOptional") else "")
            + (" ..." if one.get("isRepeating") else "") for one in arguments]
    if command.get("discussion"):
        out += [".SH DESCRIPTION", ".nf", escape(command["discussion"]), ".fi"]
    if arguments:
        out.append(".SH OPTIONS")
        for one in arguments:
            default = f" (default: {one['defaultValue']})" if one.get("defaultValue") else ""
            out += [".TP", f".B {escape(option(one))}", escape(one.get("abstract", "") + default)]
    below = [one for one in command.get("subcommands", []) if one["commandName"] != "help"]
    if below:
        out.append(".SH COMMANDS")
        for one in below:
            out += [".TP", f".BR {escape('-'.join(path + [one['commandName']]))} (1)", escape(one.get("abstract", ""))]
    return name, "\n".join(out) + "\n", below


def write(command, path, version, directory):
    name, text, below = page(command, path, version)
    with open(os.path.join(directory, name + ".1"), "w", encoding="utf-8") as file:
        file.write(text)
    for one in below:
        write(one, path + [one["commandName"]], version, directory)


def main():
    program, directory = sys.argv[1:3]
    dump = subprocess.run([program, "--experimental-dump-help"], capture_output=True, check=True, text=True).stdout
    version = subprocess.run([program, "--version"], capture_output=True, check=True, text=True).stdout.strip()
    os.makedirs(directory, exist_ok=True)
    write(json.loads(dump)["command"], ["filmgate"], version, directory)


if __name__ == "__main__":
    main()
