import Synchronization

/// What is known of whether a server's answers can be believed; learned anew in each run.
final class AnswerTrust: Sendable {
    private struct State {
        var takenInARow = 0, bearable = AnswerTrust.patience, good: Set<String> = [], refusals = 0
    }
    private let state = Mutex(State())

    /// So many taken names in a row are remarkable.
    static let patience = 20

    /// A name was free.
    func noteFree() { state.withLock { ($0.takenInARow, $0.bearable) = (0, Self.patience) } }

    /// A name was taken.
    ///
    /// True when so many were, one after the other, that it has to be found out whether any name is free.
    func noteTaken() -> Bool {
        state.withLock { state in
            state.takenInARow += 1
            return state.takenInARow >= state.bearable
        }
    }

    /// Some names are free: as many again may be taken.
    func noteThatSomeAreFree() { state.withLock { $0.bearable = $0.takenInARow * 2 } }

    /// An upload into that folder was taken.
    func noteStored(in folder: String) {
        state.withLock { state in
            state.refusals = 0
            state.good.insert(folder)
        }
    }

    /// An upload was refused in words that may be about the folder: false when they are, for nothing was ever taken
    /// there in this run, or many were refused since.
    ///
    /// `first`: the first of them may be about its file all the same.
    func isAboutOneFile(in folder: String, first: Bool) -> Bool {
        state.withLock { state in
            state.refusals += 1
            return state.refusals <= (state.good.contains(folder) ? Self.patience : first ? 1 : 0)
        }
    }
}
