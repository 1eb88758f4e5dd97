"""A primary that dies and a standby that takes its place, while stations go on; and the old primary when it comes back."""
import os
import signal
import time

from invariants import Invariants
from proof import Failure
from sharer import ended, interrupted, wait_until


class Pair:
    """A primary with the catalogue, and its streaming standby, both over loopback; stations are told of the primary first."""

    def __init__(self, scene, name, synchronous):
        self.primary = scene.catalogue(f"{name}-a", address="127.0.0.1")
        self.standby = scene.server(f"{name}-b", address="127.0.0.1", copy_of=self.primary)
        if synchronous:
            # For this server alone: the standby would wait for one of its own otherwise.
            self.primary.stop()
            self.primary.start("-c synchronous_standby_names='*'")
        wait_until("streaming", lambda: self.primary.sql("SELECT state, sync_state FROM pg_stat_replication")
                   == ("streaming|sync" if synchronous else "streaming|async"))

    def url(self, role):
        return f"postgresql://{role}@127.0.0.1:{self.primary.port},127.0.0.1:{self.standby.port}/filmgate"

    def settle(self):
        """Waits until the standby has all that the primary has."""
        query = "SELECT replay_lsn = pg_current_wal_lsn() FROM pg_stat_replication"
        wait_until("the standby's copy", lambda: self.primary.sql(query) == "t")

    def freeze_sender(self):
        """From now on the primary sends nothing to its standby."""
        for process in self.primary.sql("SELECT pid FROM pg_stat_replication").split():
            os.kill(int(process), signal.SIGSTOP)

    def fail_over(self):
        """Seconds that the standby took to be a primary; that is somebody else's to decide and to do."""
        begun = time.monotonic()
        self.primary.kill()
        self.standby.promote()
        return time.monotonic() - begun


def first_claim(scene, name, synchronous=False):
    """A primary dies while a station that holds what it cannot claim gets a picture every quarter of a second, and its standby is promoted.

    Seconds from then to the first claim that the other server grants, and until nothing waits any more.
    """
    pair, gallery = Pair(scene, name, synchronous), scene.gallery()
    hot = f"{scene.folder}/{name}-hot"
    os.makedirs(hot)
    station = scene.station(f"{name}_desk", pair.primary, gallery, pair.url(f"{name}_desk"), away="hold", hot=hot)
    card = f"{scene.card(200)}/DCIM/100TEST"
    names = sorted(os.listdir(card))
    run = scene.started(station.run())

    def put():
        """It appears whole in the watched folder."""
        picture = names.pop()
        os.rename(f"{card}/{picture}", f"{hot}/{picture}")

    put()
    wait_until("the first delivery", lambda: gallery.kept)
    wait_until("the first report", lambda: station.waiting() == 0)
    pair.settle()
    count = "SELECT count(*) FROM catalog.delivery d JOIN catalog.target t ON t.id = d.target WHERE t.owner IS NULL"
    begun = time.monotonic()
    pair.primary.kill()
    pair.standby.promote()
    while pair.standby.sql(count) == "1":
        if not names:
            raise Failure("no claim was granted after a failover")
        put()
        time.sleep(0.25)
    first = time.monotonic() - begun
    wait_until("the last delivery", lambda: len(gallery.kept) == len(os.listdir(hot)))
    last = time.monotonic() - begun
    interrupted(run, "a run over a failover")
    pair.standby.close()
    return first, last


def promoted(scene, synchronous, gap):
    """A card is imported while the primary dies and its standby takes over; `gap`: seconds of writes that the standby never got."""
    name = "sync" if synchronous else "gap" if gap else "async"
    pair, gallery = Pair(scene, name, synchronous), scene.gallery(delay=0.05)
    one, two = (scene.station(f"{name}_{number}", pair.primary, gallery, pair.url(f"{name}_{number}")) for number in ("one", "two"))
    # What happens after the failover is judged by the server that is left.
    truth, first = Invariants(pair.standby, [one, two], gallery), scene.card(40)
    one.take(first)
    two.take(first)
    pair.settle()
    truth.check("before the failover")
    card, said = scene.card(120), ""
    if gap:
        pair.freeze_sender()
        # All of it is told to a server that will be gone.
        said += one.take(scene.card(60))
        time.sleep(gap)
        if known(pair.standby, one) >= known(pair.primary, one):
            raise Failure("the standby has got what was held back: nothing is tried")
    sent, process = len(gallery.begun), one.begin(card)
    wait_until("an upload", lambda: len(gallery.begun) > sent + 5)
    took = pair.fail_over()
    said += ended(process, "an import over a failover")
    said += one.take(card) + two.take(card)
    truth.check("after the failover", said)
    if gap and "was set back" not in said:
        raise Failure(f"nobody says that the catalogue was set back:\n{said}")
    print(f"{'a synchronous' if synchronous else 'an asynchronous'} standby{f' that missed {gap} s' if gap else ''} was promoted in "
          f"{took:.1f} s: no fact is lost, nothing is there twice")
    old_primary(scene, pair, one, two, truth)
    pair.standby.close()


def known(server, station):
    """How many changes of a station the server knows."""
    return int(server.sql(f"SELECT applied FROM catalog.station WHERE name = '{station.name}'"))


def old_primary(scene, pair, one, two, truth):
    """It is started again, takes writes, and stands first in the address: nobody uses it who has met the other one."""
    def stand():
        return pair.primary.sql("SELECT (SELECT sum(applied) FROM catalog.station), (SELECT max(heard) FROM catalog.session)")

    pair.primary.start()
    before = stand()
    for station in (one, two):
        station.take(scene.card(10))
    truth.check("with the old primary there")
    pair.standby.stop()
    said = one.call("catalog", "check", "--pipeline", one.file, exits=(5,))
    said += one.take(scene.card(10))
    if said.count("old primary") < 2:
        raise Failure(f"with nothing but an old primary, `catalog check` and a run say:\n{said}")
    if stand() != before:
        raise Failure("an old primary was used")
    pair.primary.stop("immediate")
    pair.standby.start()
    one.take(scene.card(5))
    truth.check("without the old primary")
    print("the old primary comes back and takes writes: it is not used, and `catalog check` and the run say why")


def promotions(scene):
    promoted(scene, synchronous=True, gap=0)
    promoted(scene, synchronous=False, gap=0)
    promoted(scene, synchronous=False, gap=scene.gap)

