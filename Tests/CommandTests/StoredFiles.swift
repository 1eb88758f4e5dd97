import FilmgateTesting
import Synchronization

/// A gallery that knows files by their SHA-256, and sometimes does not; its script is that of a `FaultServer`.
///
/// It takes whatever is sent, names its digest and knows it from then on, and is asked below `/by/`.
final class StoredFiles: Sendable {
    enum Mode {
        case whole, empty, broken, silentOnce
        /// It says that it has whatever it is asked for.
        case everything
    }
    let files = Mutex<Set<String>>([]), mode = Mutex(Mode.whole)

    func answer(_ seen: FaultServer.Seen) -> FaultAct {
        guard seen.target.hasPrefix("/by/") else {
            return .compute { seen in
                self.files.withLock { _ = $0.insert(seen.fileDigest) }
                self.mode.withLock { $0 = .whole }
                return .answer(201, body: #"{"sha256":"\#(seen.fileDigest)"}"#)
            }
        }
        switch mode.withLock({ $0 }) {
        case .whole: return .answer(files.withLock { $0.contains(String(seen.target.dropFirst(4))) } ? 200 : 404)
        case .empty: return .answer(404)
        case .broken: return .answer(500)
        // Never anything of one of them.
        case .silentOnce:
            return files.withLock { $0.min() } == String(seen.target.dropFirst(4)) ? .silence : .answer(404)
        case .everything: return .answer(200)
        }
    }
}
