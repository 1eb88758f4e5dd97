import FilmgateCore

/// Files whose bytes were delivered for another file, in a later run, for which nothing is to be delivered any more, or
/// that grew after they were set aside: what they waited for has happened.
struct FileFollowing {
    private struct Waiting {
        var volume: Int64, path: String
        /// Size, modified, born, inode, changed.
        var marks: [Int64]
        var wanted: [Int64]
        var ending: String?
        var run: Int64?
        var reason: String?
        var name: Substring { path.split(separator: "/").last ?? "" }
    }
    private struct Delivered {
        var state: String, target: String, reason: String?, event: String?
        var isOpen: Bool { ![Receipt.State.done.rawValue, Receipt.State.excluded.rawValue].contains(state) }
    }

    private let writer: ChangeWriter
    private var contents: ContentNumbers { writer.contents }

    init(_ writer: ChangeWriter) { self.writer = writer }

    private func query(_ command: Command) throws -> Query { try writer.query(command) }

    func follow(_ key: ContentKey, twin: String, run: Int64, at: Int64) throws {
        try endWaiting(try contents.number(of: key), but: run, as: .duplicate, twin: twin, run: run, at: at)
    }

    /// Somebody took a delivery back.
    func cancel(_ row: DeliveryRow, run: Int64, at: Int64) throws {
        try writer.write(row)
        try endWaiting(try contents.number(of: row.content), but: nil, as: .delivered, twin: nil, run: run, at: at)
    }

    /// What was set aside because it was still being written is over where the same file ended now as it is since.
    ///
    /// Since: it has not become smaller, and was changed later. What ends now may be an older state of the file, as one
    /// that waited for its target, or that somebody takes off the list.
    ///
    /// Another file of that name is told by its birth or its inode: what was never read of the one before it stays
    /// listed. So does what a camera had, whose files have neither: `inode` is that of their medium.
    func endUnread(_ row: AssetRow, volume: Int64) throws {
        guard let ending = row.ending, ending != .setAside else { return }
        var query = try query(.findUnread)
        query.bind(volume)
        query.bind(row.origin.volumePath)
        query.bind(row.origin.size)
        query.bind(row.origin.born)
        query.bind(row.origin.modified)
        query.bind(row.origin.inode)
        query.bind(row.origin.changed)
        for file in try Self.files(&query) {
            try end(file, .filtered, Self.changedReason, twin: nil, run: row.run, at: row.at)
        }
    }
    private static let changedReason = "it changed after it was set aside; what it became is listed with its own size"

    /// `delivered`: how files end that have all that they are for.
    private func endWaiting(
        _ content: Int64, but exempt: Int64?, as delivered: Ending, twin: String?, run: Int64, at: Int64
    ) throws {
        let waiting = try waiting(content, but: exempt)
        if waiting.isEmpty { return }
        let deliveries = try deliveries(of: content)
        for file in waiting {
            // The file that was delivered is no twin of itself.
            let isOwn =
                file.run == exempt && twin?.hasSuffix("/\(file.name)") == true
                || file.ending == nil && twin?.hasSuffix("/\(file.path)") == true
            let delivered = isOwn ? .delivered : delivered, twin = isOwn ? nil : twin
            let all = Set(file.wanted), mine = all.compactMap { deliveries[$0] }
            guard !mine.isEmpty, mine.count == all.count else { continue }
            // What was taken back is none of its targets any more.
            let kept = mine.filter { $0.state != Receipt.State.excluded.rawValue }
            let refused = kept.filter { $0.state == Receipt.State.failed.rawValue }
            if !refused.isEmpty {
                let reasons = refused.compactMap { one in one.reason.map { "\(one.target): \($0)" } }.sorted()
                let reason = reasons.isEmpty ? nil : reasons.joined(separator: "; ")
                if file.ending != Ending.setAside.rawValue {
                    try end(file, .setAside, reason, twin: nil, run: run, at: at)
                } else if file.run != exempt, reason != nil {
                    try tell(file, reason, while: .setAside)
                }
            } else if kept.isEmpty, deliveries.values.contains(where: { $0.state == Receipt.State.done.rawValue }) {
                // What an earlier pipeline brought elsewhere is there all the same.
                try end(file, delivered, nil, twin: twin, run: run, at: at)
            } else if kept.isEmpty {
                let reasons = mine.map { "\($0.target): \($0.reason ?? DeliveryRow.cancelledReason)" }.sorted()
                try end(file, .filtered, reasons.joined(separator: "; "), twin: nil, run: run, at: at)
            } else if kept.allSatisfy({ $0.state == Receipt.State.done.rawValue }) {
                try end(file, delivered, nil, twin: twin, run: run, at: at)
            } else if file.ending == Ending.setAside.rawValue
                || file.ending == Ending.pending.rawValue && kept.count < mine.count
            {
                try end(file, .pending, Self.reason(kept), twin: nil, run: run, at: at)
            } else if file.run != exempt {
                // What the run itself ended says it in its own words.
                try tell(file, Self.reason(kept))
            }
        }
    }

    /// Files that go on waiting say for what: one delivery of their bytes waits for something else than before, or for
    /// nothing any more.
    func tellWaiting(_ key: ContentKey) throws {
        let content = try contents.number(of: key), waiting = try waiting(content, but: nil)
        if waiting.isEmpty { return }
        let deliveries = try deliveries(of: content)
        for file in waiting {
            let mine = Set(file.wanted).compactMap { deliveries[$0] }, open = mine.filter(\.isOpen)
            let isRefused = open.contains { $0.state == Receipt.State.failed.rawValue }
            if !open.isEmpty, !isRefused { try tell(file, Self.reason(open)) }
        }
    }

    /// Why files wait that these deliveries are left of, each reason once.
    private static func reason(_ deliveries: [Delivered]) -> String? {
        let reasons = Set(deliveries.filter(\.isOpen).map { "\($0.target): \($0.reason ?? Receipt.notSent)" })
        return reasons.isEmpty ? nil : reasons.sorted().joined(separator: "; ")
    }

    /// Its row has that reason from now on, and nothing else is new.
    private func tell(_ file: Waiting, _ reason: String?, while ending: Ending = .pending) throws {
        guard file.ending == ending.rawValue, file.reason != reason else { return }
        var query = try query(.tellAsset)
        query.bind(reason)
        bind(file, to: &query)
        try query.execute()
        note(file)
    }

    /// Gives what waits at `old` for an event to that of `row`; nothing where it waits for none any more.
    ///
    /// What the target has got for that event meanwhile stays as it is.
    func assign(_ row: DeliveryRow, from old: String) throws {
        let content = try contents.number(of: row.content), known = try deliveries(of: content)
        let waiting = try writer.names.target(old)
        let heir = try writer.names.target(row.target, name: row.targetName)
        guard let before = known[waiting], before.event == DeliveryRow.unassigned,
            before.state != Receipt.State.excluded.rawValue || !DeliveryRow.isByHand(before.reason)
        else { return }
        if heir == waiting {
            try writer.write(row)
            try inherit(content, from: waiting, heir, event: row.event)
        } else {
            if known[heir]?.state != Receipt.State.done.rawValue { try writer.write(row) }
            try writer.withdraw(row.content, target: old, heir: row.target, event: row.event)
        }
        try tellWaiting(row.content)
    }

    /// Files that were to reach `old` are to reach `heir`, of whatever run they are; they have that event then.
    func inherit(_ content: Int64, from old: Int64, _ heir: Int64, event: String?) throws {
        for file in try waiting(content, but: nil) where file.wanted.contains(old) {
            var wanted: [Int64] = []
            for target in file.wanted.map({ $0 == old ? heir : $0 }) where !wanted.contains(target) {
                wanted.append(target)
            }
            var query = try query(.passAsset)
            query.bind(wanted.map(String.init).joined(separator: ","))
            query.bind(event)
            bind(file, to: &query)
            try query.execute()
            note(file)
        }
    }

    private func bind(_ file: Waiting, to query: inout Query) {
        query.bind(file.volume)
        query.bind(file.path)
        for mark in file.marks { query.bind(mark) }
    }

    private func waiting(_ content: Int64, but run: Int64?) throws -> [Waiting] {
        var query = try query(.findWaiting)
        query.bind(content)
        query.bind(run ?? -1)
        return try Self.files(&query)
    }

    private static func files(_ query: inout Query) throws -> [Waiting] {
        var found: [Waiting] = []
        while try query.next() {
            var file = Waiting(volume: query.int(), path: query.text(), marks: [], wanted: [])
            for _ in 0..<5 { file.marks.append(query.int()) }
            file.wanted = query.textOrNil()?.split(separator: ",").compactMap { Int64($0) } ?? []
            (file.ending, file.run, file.reason) = (query.textOrNil(), query.intOrNil(), query.textOrNil())
            found.append(file)
        }
        return found
    }

    private func deliveries(of content: Int64) throws -> [Int64: Delivered] {
        var query = try query(.findStates), found: [Int64: Delivered] = [:]
        query.bind(content)
        while try query.next() {
            found[query.int()] = Delivered(
                state: query.text(), target: query.text(), reason: query.textOrNil(), event: query.textOrNil())
        }
        return found
    }

    private func end(
        _ file: Waiting, _ ending: Ending, _ reason: String?, twin: String?, run: Int64, at: Int64
    ) throws {
        var query = try query(.endAsset)
        query.bind(run)
        query.bind(ending.rawValue)
        query.bind(reason)
        query.bind(twin)
        query.bind(at)
        bind(file, to: &query)
        try query.execute()
        note(file)
    }

    private func note(_ file: Waiting) {
        guard writer.written != nil, file.marks.count == 5 else { return }
        writer.written?.files.insert(
            FrameKey(
                volume: file.volume, path: file.path, size: UInt64(bitPattern: file.marks[0]), modified: file.marks[1],
                born: file.marks[2], inode: UInt64(bitPattern: file.marks[3]), changed: file.marks[4]))
    }
}
