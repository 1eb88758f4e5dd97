"""What readers of the page cost those who take and send: an import and a run, without the page, with one reader and with twenty."""
import os
import random
import shutil
import signal
import statistics
import time

from following import Listeners, Live, cpu_of
from ledgers import picture_of
from measure import Run, run
from studio import Studio, memory
import tiny

READERS = (0, 1, 20)


def importing(place, table, options, ledgers):
    """A card from memory to disk."""
    pairs = 8 if options.quick else 115
    card = place.card("pairs", pairs, "6MB", "20MB")

    def once(readers, number):
        state = place.fresh()
        words = [place.filmgate, "import", card, "--to", place.fresh(), "--state", state, "--json", "--verify", "size"]
        if not readers:
            return run(words)
        with Studio(place.filmgate, state, os.path.join(place.memory, f"studio-{readers}.log")) as studio, Listeners(studio, readers):
            time.sleep(0.5)
            return run(words)

    results = rounds(options, once, clear=place.clear)
    shutil.rmtree(card)
    compare(table, f"import of {26 * pairs / 1000:.1f} GB", results)


def running(place, table, options, ledgers):
    """Very many small frames that are moved into a hot folder at once; the run is measured from then until all are delivered."""
    count = 500 if options.quick else 5000
    picture = picture_of(place)

    def once(readers, number):
        name = f"beside-{readers}-{number}"
        card = tiny.card(os.path.join(place.disk, name + "-card"), picture, count, first=number * count)
        live = Live(place, ledgers[500], name)
        live.begin()
        try:
            if readers:
                with live.studio, Listeners(live.studio, readers):
                    return flood(live, card, count)
            return flood(live, card, count)
        finally:
            live.__exit__()

    compare(table, f"run with {count} frames at once", rounds(options, once))


def flood(live, card, count):
    time.sleep(1)
    spent, begun = cpu_of(live.run), time.monotonic()
    os.rename(card, os.path.join(live.hot, "card"))
    live.wait(count, 300)
    took = time.monotonic() - begun
    time.sleep(0.5)
    found = Run(took, memory(live.run.process.pid, "VmHWM"), b"", cpu_of(live.run) - spent)
    live.run.kill(signal.SIGTERM)
    return found


def rounds(options, once, clear=None):
    """Each number of readers once a round, in another order each time."""
    order, results, dice = list(READERS), {readers: [] for readers in READERS}, random.Random(3)
    for number in range(2 if options.quick else max(7, options.rounds)):
        dice.shuffle(order)
        for readers in order:
            if clear:
                clear()
            results[readers].append(once(readers, number))
    return results


def compare(table, what, results):
    """Medians of round by round: what disturbs the machine for a while disturbs all of a round."""
    alone = results[0]
    took, spent, most = (statistics.median(getattr(one, name) for one in alone) for name in ("seconds", "cpu", "peak"))
    print(f"    {what} without the page: {took:.2f} s, CPU {spent:.2f} s, {most:.1f} MiB")
    for readers in READERS[1:]:
        some, name = results[readers], f"{what}, {readers} reader{'s' if readers > 1 else ''}"
        for title, value, limit, unit in (
            ("CPU", lambda a, b: (a.cpu / b.cpu - 1) * 100, 3, " % more"),
            ("wall", lambda a, b: (a.seconds / b.seconds - 1) * 100, 2, " % more"),
            ("memory", lambda a, b: a.peak - b.peak, 2, " MiB more"),
        ):
            each = [value(a, b) for a, b in zip(some, alone)]
            table.line(f"{name}: {title}", statistics.median(each), limit, unit, each=each)
