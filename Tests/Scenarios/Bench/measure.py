"""Running programs and comparing them: wall time and peak memory, in turn and in random order."""
import os
import random
import statistics
import subprocess
import time


class Run:
    """One finished run: seconds, peak resident set in MiB, output, and seconds of CPU time."""

    def __init__(self, seconds, peak, output, cpu=0.0):
        self.seconds, self.peak, self.output, self.cpu = seconds, peak, output, cpu


def run(command, env=None, expect=0, capture=False):
    """Runs a command (a list) or a shell line; fails loudly when it does."""
    shell = isinstance(command, str)
    out = subprocess.PIPE if capture else subprocess.DEVNULL
    begun = time.monotonic()
    process = subprocess.Popen(command, shell=shell, env=env, stdout=out, stderr=subprocess.DEVNULL)
    text = process.stdout.read() if capture else b""
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != expect:
        raise SystemExit(f"exit {process.returncode} instead of {expect}: {command}")
    return Run(seconds, usage.ru_maxrss / 1024, text, usage.ru_utime + usage.ru_stime)


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


def peak(runs):
    return max(one.peak for one in runs)


class Table:
    """The lines of the report: what was measured, how much it is, how much it may be."""

    def __init__(self):
        self.failed = 0
        self.rows = []

    def line(self, what, value, limit, unit, detail="", at_least=False):
        good = value >= limit if at_least else value <= limit
        self.failed += not good
        self.rows.append((what, value, limit, unit, detail, good, at_least))
        print(f"  {'pass' if good else 'FAIL'}  {what}: {value:.2f}{unit} ({'≥' if at_least else '≤'} {limit:g}{unit})  {detail}", flush=True)

    def show(self):
        print(f"\n| measured | value | limit | |\n|---|---|---|---|")
        for what, value, limit, unit, detail, good, at_least in self.rows:
            sign = "≥" if at_least else "≤"
            print(f"| {what} | {value:.2f}{unit} | {sign} {limit:g}{unit} | {'pass' if good else '**FAIL**'} {detail} |")
