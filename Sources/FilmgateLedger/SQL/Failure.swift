import FilmgateCore
import GRDB

/// Turns what SQLite says into what a person can act on.
///
/// Nothing is ever deleted or repaired by itself.
struct LedgerFailure: Sendable {
    let file: String

    func callAsFunction(_ error: any Error) -> IngestError {
        if let error = error as? IngestError { return error }
        if error is CancellationError { return IngestError(.cancelled, "Stopped.") }
        guard let error = error as? DatabaseError else {
            return IngestError(.unexpected, "The ledger \(file) cannot be used (\(error)).", cause: error)
        }
        let words = error.message ?? "\(error.resultCode)"
        if Self.isDamage(error) { return damaged(words, error) }
        if Self.isFull(error) {
            return IngestError(
                .storageFull, "No room is left for the ledger \(file).",
                advice:
                    "Free some space on that disk, but leave `staging` beside the ledger: it holds what waits to be delivered.",
                cause: error)
        }
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return IngestError(
                .stateLocked, "The ledger \(file) was busy for too long.",
                advice: "Another program has it open for writing: close that program, then try again.", cause: error)
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH:
            return IngestError(
                .misconfigured, "The ledger \(file) cannot be opened (\(words)).",
                advice: "Its folder must belong to you and be writable; `--state DIR` chooses another.", cause: error)
        case .SQLITE_IOERR:
            return IngestError(
                .unexpected, "The disk failed under the ledger \(file) (\(words)).", advice: "Check that disk.",
                cause: error)
        default: return IngestError(.unexpected, "The ledger \(file) cannot be used (\(words)).", cause: error)
        }
    }

    private func damaged(_ words: String, _ error: any Error) -> IngestError {
        IngestError(
            .unexpected, "The ledger \(file) is damaged (\(words)).",
            advice:
                "Nothing was changed. Restore it from a backup, or move it away with its -wal file: the next run starts a new one, "
                + "reads the cards again and recognises what was delivered by its bytes.", cause: error)
    }

    static func isDamage(_ error: (any Error)?) -> Bool {
        guard let code = (error as? DatabaseError)?.resultCode else { return false }
        return code == .SQLITE_CORRUPT || code == .SQLITE_NOTADB
    }

    /// The index of the log is the only file whose missing room SQLite does not call that.
    private static func isFull(_ error: DatabaseError) -> Bool {
        error.resultCode == .SQLITE_FULL || error.extendedResultCode == .SQLITE_IOERR_SHMSIZE
    }

    var closed: IngestError { IngestError(.unexpected, "The ledger \(file) was closed.") }

    var newer: IngestError {
        IngestError(
            .misconfigured, "The ledger \(file) was written by a newer Filmgate.",
            advice: "Update this one, or use another state directory with `--state DIR`.")
    }

    /// Its first writer could not end making it, and there is still no room.
    var unmade: IngestError {
        IngestError(
            .storageFull, "The disk is full: there was no room to make the ledger \(file), and nothing is in it yet.",
            advice: "Free some space there, or choose another directory with `--state DIR`: the next import makes it.")
    }

    var older: IngestError {
        IngestError(
            .misconfigured, "The ledger \(file) was written by an older Filmgate and cannot be read as it is.",
            advice: "Any import with this version brings it up to date; nothing is lost.")
    }
}
