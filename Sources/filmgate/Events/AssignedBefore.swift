import FileKit
import FilmgateCore
import FilmgateEngine

/// What `assign` has to say where nothing waits for an event any more: whose the files are, and how they get into
/// another event.
struct AssignedBefore {
    private struct GivenFile {
        var content: ContentKey, event: String, waits: Bool
        /// Nothing lies where it was taken from: a card may come again, a folder that was emptied may not.
        var isGone: Bool
    }

    let reader: any LedgerReader
    /// What is not done, and has its event.
    let waiting: [QueuedDelivery]
    /// Those of the names that were given of which nothing waits; nil where none were.
    let idle: [String]?
    /// Where relative paths among them start.
    let start: UserPath
    /// Whole filters may be named; of so many names it is looked up whose they are.
    private static let most = 100

    /// `target`: where something else is held elsewhere.
    func remark(at target: String?) async throws(IngestError) -> String {
        let nothing = idle == nil ? "Nothing" : "Nothing of that"
        if let target { return "\(nothing) is held for \(Describe.name(target)) without an event." }
        let open = waiting.compactMap { order in
            order.delivery.event.map { event in
                GivenFile(
                    content: order.delivery.content, event: event, waits: true, isGone: Self.isGone([order.asset]))
            }
        }
        let done = try await delivered(), files = open + done
        if files.isEmpty { return "\(nothing) is held without an event." }
        let told = "\(nothing) is held without an event; \(Self.belong(files)).\n" + Self.advice(!open.isEmpty)
        let gone = Set(files.filter(\.isGone).map(\.content))
        if gone.isEmpty { return told }
        let way = try await copying(gone)
        return told + "\n" + way
    }

    private static func advice(_ isWaiting: Bool) -> String {
        "  → \(isWaiting ? "`filmgate retry` sends them there. " : "")"
            + "To another event they go by `filmgate import CARD --event EVENT`."
    }

    private static func belong(_ files: [GivenFile]) -> String {
        let open = list(files.filter(\.waits), "waits belongs", "wait belong")
        let done = list(files.filter { !$0.waits }, "was delivered belongs", "were delivered belong")
        return (open + done).joined(separator: ", ")
    }

    private static func list(_ files: [GivenFile], _ one: String, _ several: String) -> [String] {
        let counts = Dictionary(grouping: files, by: \.event).mapValues { Set($0.map(\.content)).count }
        return counts.sorted { $0.key < $1.key }.map { event, count in
            "\(Describe.count(count, "file")) that \(count == 1 ? one : several) to \(Describe.name(event))"
        }
    }

    /// What was named and is delivered, with the events that it has.
    private func delivered() async throws(IngestError) -> [GivenFile] {
        var files: [GivenFile] = []
        for name in (idle ?? []).prefix(Self.most) {
            let found = await Result { () async throws(IngestError) in
                try await PictureSearch(reader: reader, start: start).sha256(name)
            }
            guard case .success(let sha256) = found else { continue }
            let assets = Dictionary(grouping: try await reader.assets(sha256: sha256)) { $0.content }
            for case (let content?, let rows) in assets {
                let done = try await reader.deliveries(of: content).filter {
                    $0.receipt.state == .done && !$0.isUnassigned
                }
                for event in Set(done.compactMap(\.event)) {
                    files.append(GivenFile(content: content, event: event, waits: false, isGone: Self.isGone(rows)))
                }
            }
        }
        return files
    }

    /// What was pushed has no card, and a folder that files are moved out of is empty.
    private static func isGone(_ rows: [AssetRow]) -> Bool {
        rows.allSatisfy { row in
            if row.origin.source == "ftp" { return true }
            // Of a camera nobody knows what it has.
            guard row.origin.root.hasPrefix("/") else { return false }
            let facts = Result { () throws(IngestError) in try FileFacts.of(row.origin.absolutePath) }
            if case .success(nil) = facts { return true }
            return false
        }
    }

    /// A source may not lie inside of a target, and a copy of what lies there is as good as the card.
    private func copying(_ gone: Set<ContentKey>) async throws(IngestError) -> String {
        let contents = Array(gone), receipts = try await reader.receipts(of: contents)
        var folders: Set<String> = []
        for (content, all) in zip(contents, receipts) {
            for one in all.map(\.receipt) where one.state == .done && (one.sha256 ?? content.sha256) == content.sha256 {
                guard let path = one.path, (try? FileFacts.of(path))?.kind == .regular else { continue }
                folders.insert(Paths.folder(path))
            }
        }
        let shown = folders.sorted().prefix(3).map { Describe.name($0) }.joined(separator: ", ")
        let what =
            folders.isEmpty ? "once a folder has them, copy that" : "copy \(shown)\(folders.count > 3 ? " …" : "")"
        return
            "  → Of \(Describe.count(gone.count, "file")) nothing lies at the source now. Where it comes no more, as "
            + "after FTP or `take: move`: \(what) to another place, and then `filmgate import COPY --event EVENT`."
    }
}
