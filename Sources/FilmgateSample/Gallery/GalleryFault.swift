public import FilmgateCore
import Synchronization

/// How the gallery misbehaves on purpose, for tests and for trying out what Filmgate does then.
///
/// Written as a list: `busy:2, reset-after/10`. `:n` means the first n uploads, `/n` every n-th; a bare word means all.
public struct GalleryFault: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// 401 to any request.
        case unauthorized
        /// The token is good for so many requests (`expire:10`), then 401.
        case expire
        /// 403, 413, 500 to uploads.
        case forbidden, tooLarge = "too-large", error
        /// 429 with `Retry-After` in seconds, or as a date.
        case busy, busyDate = "busy-date"
        /// Takes the upload and never answers; nothing is stored.
        case stall
        /// Resets the connection before reading, in the middle, and after storing the whole upload.
        case resetBefore = "reset-before", resetMiddle = "reset-middle", resetAfter = "reset-after"
        /// Stores, then sends half an answer.
        case cut
        /// Stores, then answers with another digest.
        case wrongDigest = "wrong-digest"
        /// 307 to another host.
        case redirect
        /// Reads 1 MB a second.
        case slow
    }
    public enum Reach: Sendable, Hashable { case all, first(Int), every(Int) }

    public var kind: Kind, reach: Reach

    /// The words of a list, and what may stand behind each.
    public static let known =
        "\(Kind.allCases.map(\.rawValue).joined(separator: ", ")); `:n` for the first n, `/n` for every n-th."

    public init(_ kind: Kind, _ reach: Reach = .all) { (self.kind, self.reach) = (kind, reach) }

    /// Reads a list as written on the command line.
    ///
    /// `misconfigured` with the known words when one is unknown.
    public static func list(_ text: String) throws(IngestError) -> [GalleryFault] {
        var faults: [GalleryFault] = []
        for word in text.split(separator: ",") {
            let trimmed = word.filter { $0 != " " }
            let name = trimmed.prefix { $0 != ":" && $0 != "/" }, rest = trimmed.dropFirst(name.count)
            let count = Int(rest.dropFirst())
            guard let kind = Kind(rawValue: String(name)), rest.isEmpty || (count ?? 0) > 0 else {
                throw IngestError(
                    .misconfigured, "`\(trimmed)` is no fault that the gallery knows.",
                    advice: "Known: \(known)")
            }
            faults.append(
                GalleryFault(kind, rest.isEmpty ? .all : rest.first == ":" ? .first(count ?? 1) : .every(count ?? 1)))
        }
        return faults
    }
}

/// Counts requests and says which fault strikes now.
final class FaultPlan: Sendable {
    private struct State { var faults: [GalleryFault], seen: [GalleryFault.Kind: Int] = [:] }
    private let state: Mutex<State>

    init(_ faults: [GalleryFault]) { state = Mutex(State(faults: faults)) }

    /// Replaces the faults and starts counting anew.
    func set(_ faults: [GalleryFault]) { state.withLock { $0 = State(faults: faults) } }

    /// The fault that strikes this request, if any; `upload`: it brings a file.
    func next(upload: Bool) -> GalleryFault.Kind? {
        state.withLock { state in
            var struck: GalleryFault.Kind?
            for fault in state.faults where upload || fault.kind == .unauthorized || fault.kind == .expire {
                let number = state.seen[fault.kind, default: 0] + 1
                state.seen[fault.kind] = number
                let strikes =
                    switch fault.reach {
                    case .all: true
                    case .first(let count): fault.kind == .expire ? number > count : number <= count
                    case .every(let count): number % count == 0
                    }
                if strikes, struck == nil { struck = fault.kind }
            }
            return struck
        }
    }
}
