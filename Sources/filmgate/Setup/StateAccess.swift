import FileKit
import FilmgateCore
import Foundation
import Glibc

/// Whether this user may look at the state directory.
struct StateAccess {
    private let path: String, isNamed: Bool

    /// `state`: the directory that the options name, or else mean.
    init(_ state: String, _ options: CommonOptions) { (path, isNamed) = (state, options.state != nil) }

    /// `accessDenied`, `misconfigured` where something else stands there; with `mustExist`, `notFound` where `--state`
    /// names nothing.
    func check(mustExist: Bool) throws(IngestError) {
        guard access(path, F_OK) == 0 else {
            switch errno {
            case ENOENT where mustExist && isNamed:
                throw IngestError(
                    .notFound, "There is no state directory \(PathText.shown(path)).",
                    advice: "`--state` names the one that imports used.")
            case ENOENT: return
            case let code: throw failure(code)
            }
        }
        guard try FileFacts.of(FileSystem.canonical(path))?.kind == .directory else {
            throw IngestError(.misconfigured, "\(PathText.shown(path)) is no directory, so it holds no state.")
        }
        if access(path, R_OK | X_OK) != 0 { throw failure(errno) }
    }

    private func failure(_ code: CInt) -> IngestError {
        let owner = (try? FileManager.default.attributesOfItem(atPath: path))?[.ownerAccountName] as? String
        return IngestError(
            .accessDenied, "\(PathText.shown(path)) cannot be read (\(String(cString: strerror(code)))).",
            advice:
                "It is another user's: run this as \(owner ?? "its owner"), as in `sudo -u \(owner ?? "USER") filmgate …`."
        )
    }
}
