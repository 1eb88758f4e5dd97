"""Servers and stations that are killed at random moments, and a station that stands still in the middle of an upload."""
import signal
import time
from collections import Counter

from invariants import Invariants
from proof import Failure, folder as files_below
from sharer import ended, lose, wait_until


def rounds(scene, what, play):
    """`play(number)` says whether its kill hit something that was at work; repeated until that many did. Returns how many it took."""
    tried, effective = 0, 0
    while effective < scene.count:
        tried += 1
        effective += play(tried)
        if tried >= 20 + 5 * scene.count:
            raise Failure(f"{what}: of {tried} kills only {effective} came before the import was over")
    return tried


def server_kills(scene):
    """The server is killed with all its processes while an import tells it; no fact is missing, none is there twice."""
    server, gallery = scene.catalogue(), scene.gallery()
    one = scene.station("one", server, gallery)
    truth = Invariants(server, [one], gallery)
    begun = time.monotonic()
    one.take(scene.card(60))
    lasts = time.monotonic() - begun

    def play(number):
        card = scene.card(60)
        process = one.begin(card)
        time.sleep(scene.rng.uniform(0.05, 1.0) * lasts)
        is_alive = process.poll() is None
        server.kill()
        said = ended(process, f"kill {number}: an import whose catalogue died")
        server.start()
        truth.check(f"kill {number}", said + one.take(card))
        return is_alive

    tried = rounds(scene, "servers", play)
    print(f"the server killed {tried} times, {scene.count} times under an import: what the catalogue has is what the ledger has")


def station_kills(scene):
    """A station is killed between its claims and their end; the other one takes over. Every other time nobody can ask the gallery."""
    server, other = scene.catalogue(), scene.catalogue("other")
    asked, mute = scene.gallery(delay=0.1), scene.gallery(delay=0.1)
    one, two = (scene.station(name, server, asked) for name in ("one", "two"))
    three, four = (scene.station(name, other, mute, asks=False) for name in ("three", "four"))
    truth, counts = Invariants(server, [one, two], asked), Counter()
    doubts = Invariants(other, [three, four], mute)

    def play(number):
        if number % 2:
            return taken_over(scene, server, truth, one, two)
        is_killed, found = doubtful(scene, doubts, three, four)
        counts.update(found)
        return is_killed

    tried = rounds(scene, "stations", play)
    print(f"stations killed at {tried} moments, {scene.count} times at work: each picture is at the gallery once; of {counts['files']} at "
          f"the one that cannot be asked {counts['held']} wait for a person, and none is there twice before that one looked")


def broken_off(scene, station, card):
    """An import that is killed at some moment while it delivers, and after it what the gallery was sent has arrived.

    False: it was over before it could be killed.
    """
    gallery = station.gallery
    before = len(gallery.begun)
    process = station.begin(card)
    wait_until("an upload", lambda: len(gallery.begun) > before or process.poll() is not None)
    time.sleep(scene.rng.uniform(0, 0.4))
    process.kill()
    said = process.communicate()[0]
    if process.returncode not in (0, -signal.SIGKILL):
        raise Failure(f"an import that was to be killed ended with {process.returncode}:\n{said}")
    wait_until("the end of its uploads", lambda: gallery.is_quiet)
    return process.returncode == -signal.SIGKILL


def taken_over(scene, server, truth, one, two):
    card = scene.card(12)
    is_killed = broken_off(scene, one, card)
    lose(server, one)
    said = two.take(card)
    said += one.take(card)
    truth.check("after the death of a station", said)
    for station in (one, two):
        if station.states()["done"] != sum(len(files_below(one)) for one in station.cards):
            raise Failure(f"after the death of a station: {station.name} has deliveries that are not done")
    return is_killed


def doubtful(scene, truth, three, four):
    card, gallery = scene.card(12), three.gallery
    is_killed = broken_off(scene, three, card)
    lose(truth.server, three)
    said = four.take(card, exits=(0, 8))
    wanted, found = set(files_below(card).values()), Counter(gallery.kept)
    twice = sum(found[sha] > 1 for sha in wanted)
    held = four.states()["held"]
    if twice:
        raise Failure(f"a gallery that cannot be asked has {twice} pictures twice")
    missing = sum(found[sha] == 0 for sha in wanted)
    if held < missing:
        raise Failure(f"{missing} pictures are not at the gallery, and only {held} wait for a person")
    # Somebody has looked: from here on the next round counts anew, and what was held may be there a second time.
    truth.asked_for |= four.held()
    said += four.call("retry", "--pipeline", four.file, "--anyway")
    if wanted - set(gallery.kept):
        raise Failure("`retry --anyway` left something out")
    said += three.take(card)
    truth.check("after the death of a station whose gallery cannot be asked", said)
    return is_killed, Counter(files=len(wanted), held=held)


def stopped(scene):
    """A station stands still for 90 seconds in the middle of an upload; the other one sends the picture meanwhile."""
    # As servers do: who says nothing for 30 seconds is gone, and half an upload is none.
    server, gallery = scene.catalogue(), scene.gallery(pause=0.05, patience=30)
    one, two = (scene.station(name, server, gallery) for name in ("one", "two"))
    truth, card = Invariants(server, [one, two], gallery), scene.card(3)
    with open(f"{card}/DCIM/100TEST/LARGE.JPG", "wb") as file:
        body = scene.rng.randbytes(65_000)
        # More than the buffers between the two hold, so that it stands still in the middle.
        file.write(b"\xff\xd8" + b"".join(b"\xff\xfe" + (len(body) + 2).to_bytes(2, "big") + body for _ in range(500)) + b"\xff\xd9")
    process = scene.started(one.begin(card))
    wait_until("uploads under way", lambda: gallery.arriving > len(gallery.begun) >= 3)
    process.send_signal(signal.SIGSTOP)
    begun, sent = time.monotonic(), len(gallery.begun)
    if sent > 3:
        raise Failure("the large picture was sent before the station stood still")
    gallery.pause = 0.0
    said = two.take(card)
    if scene.stop >= 70 and time.monotonic() - begun < 50:
        raise Failure(f"the other station did not wait for the session to end:\n{said}")
    time.sleep(max(0.0, scene.stop - (time.monotonic() - begun)))
    process.send_signal(signal.SIGCONT)
    said = ended(process, "the import that stood still")
    said += one.take(card)
    truth.check("after a station stood still", said)
    print(f"a station that stood still for {scene.stop} s in an upload: the other one sent it, and it is there once")
