package import FilmgateCore

/// What waits and what is done at a target, as `status --json` has it.
package enum TargetLine {
    package static func object(_ target: LedgerTotals.Target) -> JSONWriter {
        var object = JSONWriter()
        object.add("name", target.name)
        object.add("identity", target.identity)
        for state in [Receipt.State.done, .pending, .held, .failed] {
            object.add(state.rawValue, target.states[state] ?? 0)
        }
        object.add("cancelled", target.states[.excluded] ?? 0)
        object.add("bytes_waiting", target.bytesWaiting)
        object.add("oldest_waiting", time(target.oldestWaiting))
        object.add("next_try", time(target.nextTry))
        object.add("reason", target.lastReason)
        object.add("denied", target.denied)
        object.add("denied_reason", target.lastDenial?.reason)
        return object
    }

    /// Nanoseconds since 1970 as every JSON object has times.
    package static func time(_ nanoseconds: Int64?) -> String? {
        nanoseconds.flatMap { CivilTime(unixSeconds: $0 / 1_000_000_000)?.description }
    }
}
