"""Running programs and comparing them: wall time and peak memory, in turn and in random order."""
import os
import platform
import random
import re
import statistics
import subprocess
import tempfile
import time


class Run:
    """One finished run: seconds, peak resident set in MiB, output, and seconds of CPU time."""

    def __init__(self, seconds, peak, output, cpu=0.0):
        self.seconds, self.peak, self.output, self.cpu = seconds, peak, output, cpu


def run(command, env=None, expect=0, capture=False):
    """Runs a command (a list) or a shell line; fails loudly when it does.

    GNU time starts it: to Linux, a program's peak is never below that of the process that started it, and this one is larger than many that it measures.
    """
    words = ["sh", "-c", command] if isinstance(command, str) else list(command)
    out = subprocess.PIPE if capture else subprocess.DEVNULL
    with tempfile.NamedTemporaryFile("r", encoding="ascii") as figures:
        begun = time.monotonic()
        process = subprocess.Popen(["/usr/bin/time", "-q", "-f", "%M", "-o", figures.name] + words, env=env, stdout=out, stderr=subprocess.DEVNULL)
        text = process.stdout.read() if capture else b""
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != expect:
            raise SystemExit(f"exit {process.returncode} instead of {expect}: {command}")
        return Run(seconds, int(figures.read()) / 1024, text, usage.ru_utime + usage.ru_stime)


def paired(contestants, rounds, before=None, rng=random.Random(1)):
    """Runs every contestant once per round, each round in another order; their runs by name."""
    results = {name: [] for name in contestants}
    for number in range(rounds):
        names = list(contestants)
        rng.shuffle(names)
        for name in names:
            if before:
                before(name)
            results[name].append(contestants[name](number))
    return results


def median(runs):
    return statistics.median(one.seconds for one in runs)


def cpu(runs):
    return statistics.median(one.cpu for one in runs)


def peak(runs):
    return max(one.peak for one in runs)


def ratios(over, under, of=lambda one: one.seconds):
    """Round by round, so that what disturbs the machine for a while disturbs both."""
    return [of(a) / of(b) for a, b in zip(over, under)]


def milliseconds(runs):
    return [one.seconds * 1000 for one in runs]


def machine(folders):
    """What the figures were taken on: processor, cores, memory, kernel, file systems, day."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*:\s*(.*)", file.read())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30
    kinds = [subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True, check=True).stdout.strip() for folder in folders]
    return (f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores, {memory} GiB, Linux {platform.release()}, "
            f"from {kinds[0]} to {kinds[1]}, load {os.getloadavg()[0]:.1f} at the beginning, {time.strftime('%Y-%m-%d')}")


class Table:
    """The lines of the report: what was measured, how much it is, its lowest and highest value, how much it may be."""

    def __init__(self):
        self.failed = 0
        self.rows = []
        self.compared = {}

    def line(self, what, value, limit, unit, detail="", at_least=False, each=None, own=None):
        """`each`: the same value of every round, for its spread. `own`: our time in it, and its unit, where
        the value is one by a peer's."""
        good = value >= limit if at_least else value <= limit
        self.failed += not good
        spread = f"{min(each):.2f} to {max(each):.2f}" if each else ""
        self.rows.append((what, value, spread, limit, unit, detail, good, at_least))
        self.compared[what] = (*own, False) if own else (value, unit, at_least)
        shown = f"{value:.2f}{unit} ({'≥' if at_least else '≤'} {limit:g}{unit})"
        print(f"  {'pass' if good else 'FAIL'}  {what}: {shown}  {spread}  {detail}".rstrip(), flush=True)

    def show(self, place):
        print(f"\n{place}\n\n| measured | median | lowest to highest | limit | |\n|---|---|---|---|---|")
        for what, value, spread, limit, unit, detail, good, at_least in self.rows:
            sign = "≥" if at_least else "≤"
            print(f"| {what} | {value:.2f}{unit} | {spread} | {sign} {limit:g}{unit} | {'pass' if good else '**FAIL**'} {detail} |")


class Comparison:
    """The lines of two builds side by side: the median of the ratios of all pairs, and how far those lie apart.

    Between two builds a peer is only noise: where a line is held against one, what is ours of it is compared.
    """
    WORSE = 0.03

    def __init__(self):
        self.lines = {}

    def add(self, build, table):
        for what, (value, unit, at_least) in table.compared.items():
            line = self.lines.setdefault(what, {"unit": unit, "at_least": at_least, "before": [], "after": []})
            line[build].append(value)

    def rounds(self, what, unit, values):
        """A line of two builds that took turns: one value of each for every round."""
        self.lines[what] = {"unit": unit, "at_least": False, **values}
        ratio = statistics.median(after / before for after, before in zip(values["after"], values["before"]) if before)
        middle = {name: statistics.median(each) for name, each in values.items()}
        print(f"  {what}: {middle['before']:.3f}{unit}, {middle['after']:.3f}{unit}: {ratio:.3f} ×", flush=True)

    def show(self, place):
        """Prints the table; returns how many lines became worse.

        A line is worse whose median ratio says so, and of several pairs most: else they differ by what the machine does beside.
        """
        worse = 0
        print(f"\n{place}\n\n| measured | before | after | after / before | lowest to highest | |\n|---|---|---|---|---|---|")
        for what, line in self.lines.items():
            before, after = (statistics.median(line[build]) if line[build] else float("nan") for build in ("before", "after"))
            each = [ratio(one, other) for one, other in zip(line["after"], line["before"])] or [float("nan")]
            losses = [1 - one if line["at_least"] else one - 1 for one in each]
            lost = statistics.median(losses) > self.WORSE and sorted(losses)[len(losses) // 4] > 0
            worse += lost
            unit, better = line["unit"], "more is better" if line["at_least"] else ""
            print(f"| {what} | {before:.2f}{unit} | {after:.2f}{unit} | {statistics.median(each):.2f} | {min(each):.2f} to {max(each):.2f} "
                  f"| {'**worse**' if lost else ''} {better} |")
        return worse


def ratio(after, before):
    return after / before if before else 1.0 if after == before else float("inf")
