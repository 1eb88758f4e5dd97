import FileKit
import FilmgateCore
import FilmgateEngine
import FilmgateReport

/// Which of the deliveries that wait are meant.
struct OrderChoice {
    /// The name, address or folder of a target; nil = any.
    let target: String?
    /// Paths at the source, folders of it, or digests; empty = all.
    let files: [String]
    /// Where relative paths start: a target may be named by its folder.
    let start: UserPath

    /// What the user called the target, where `target` is the identity that was found for it.
    var called: String?
    /// Targets whose disks are noted: they may be meant, too, though nothing of them is among the orders.
    var noted: [TargetDisk] = []
    /// The identity of the card or disk that is plugged in where an absolute path lies; nil where none is.
    var volume: (String) -> String? = Self.volumes()

    /// Throws a `Refusal` for a target that nothing is known of, for a name that stands for several places, and for a
    /// path that stands for files of several cards.
    func choose(_ orders: [QueuedDelivery]) throws -> [QueuedDelivery] {
        let meant = target.map { Self.meant($0, from: start, among: orders) } ?? orders
        if let target { try refuse(target, meant, among: orders) }
        if files.isEmpty { return meant }
        var chosen: Set<QueuedDelivery> = []
        for file in files {
            // Of a copy that was removed people know where it was.
            let byCopy = meant.filter { order in
                order.delivery.content.sha256 == file || order.delivery.receipt.path.map { Self.isAt(file, $0) } == true
            }
            let bySource = meant.filter { Self.isAt(file, $0.asset.origin.absolutePath) }
            chosen.formUnion(byCopy + (try atSource(file, bySource)))
        }
        return meant.filter(chosen.contains)
    }

    /// The paths that `files` name: a name alone, where no file here is called so, means the one that waits at `target`
    /// under that name, or whose SHA-256 begins so.
    ///
    /// Throws a `Refusal` where several different files are called so.
    static func paths(
        _ files: [String], from start: UserPath, among orders: [QueuedDelivery], at target: String?
    ) throws -> [String] {
        let waiting = target.map { meant($0, from: start, among: orders) } ?? orders
        return try files.flatMap { file -> [String] in
            if isDigest(file) { return [file] }
            let path = start.recorded(file)
            if file.contains("/") || isThere(path) || isKnown(path, among: orders) { return [path] }
            let named = waiting.filter { $0.asset.origin.name == file }
            if Set(named.map(\.delivery.content.sha256)).count > 1 {
                throw Refusal(severalFrames(file, named, because: "Several that wait are called so"))
            }
            if Set(named.map(\.delivery.content)).count > 1 {
                throw Refusal("\(Describe.name(file)) lies beside several pictures: name it by its path.")
            }
            let found = Set(named.map(\.asset.origin.absolutePath)).sorted()
            return found.isEmpty ? [try digest(beginning: file, among: waiting) ?? path] : found
        }
    }

    /// Nil where nothing that waits has such a digest, or it is too short for one.
    private static func digest(beginning text: String, among waiting: [QueuedDelivery]) throws -> String? {
        guard text.utf8.count >= PictureSearch.shortest, PictureSearch.isHexadecimal(text) else { return nil }
        let found = waiting.filter { $0.delivery.content.sha256.hasPrefix(text.lowercased()) }
        if Set(found.map(\.delivery.content.sha256)).count > 1 {
            throw Refusal(severalFrames(text, found, because: "The SHA-256 of several that wait begin so"))
        }
        return found.first?.delivery.content.sha256
    }

    /// Cards of one name are mounted at one place, one after the other: `file` means what is there now.
    ///
    /// Where nothing is there it means what was, if that can be one card's only.
    private func atSource(_ file: String, _ orders: [QueuedDelivery]) throws -> [QueuedDelivery] {
        if orders.isEmpty { return [] }
        let there = volume(file),
            here = there.map { there in orders.filter { $0.asset.origin.volume == there } } ?? orders
        let paths = Dictionary(grouping: here) { $0.asset.origin.absolutePath }, check = OriginalCheck()
        var meant: [QueuedDelivery] = [], unclear: [QueuedDelivery] = []
        var isReplaced = here.isEmpty
        for (path, frames) in paths {
            if Self.isThere(path) {
                let same = frames.filter { check.isThere($0.asset.origin, $0.delivery.content.sha256) }
                meant += same
                if same.isEmpty { (isReplaced, unclear) = (true, unclear + frames) }
            } else if Set(frames.map(\.delivery.content.sha256)).count > 1 {
                // The counter of a camera that began anew, or another card.
                unclear += frames
            } else {
                meant += frames
            }
        }
        // With some of a folder replaced, the rest may be another card's, too.
        let isOneCard = Self.isOneCard(meant)
        if unclear.isEmpty, isOneCard { return meant }
        let why =
            isReplaced
            ? "What waits was taken from another card or file than the one that is there now"
            : "Several cards or files were there, one after the other"
        throw Refusal(Self.severalFrames(file, unclear.isEmpty ? orders : unclear, because: why))
    }

    /// Some card has all of these; the same frames may lie on others, too.
    private static func isOneCard(_ orders: [QueuedDelivery]) -> Bool {
        let contents = Set(orders.map(\.delivery.content))
        return Dictionary(grouping: orders) { $0.asset.origin.volume }.values.contains { card in
            Set(card.map(\.delivery.content)) == contents
        }
    }

    /// Whether any of `orders` is of that file or folder, or of that digest.
    static func isKnown(_ file: String, among orders: [QueuedDelivery]) -> Bool {
        orders.contains { order in
            let paths = [order.asset.origin.absolutePath, order.delivery.receipt.path ?? ""]
            return order.delivery.content.sha256 == file || paths.contains { isAt(file, $0) }
        }
    }

    /// That a name does not say which of these is meant, and by which digests they are told apart.
    static func severalFrames(_ file: String, _ orders: [QueuedDelivery], because why: String) -> String {
        let frames = Dictionary(grouping: orders, by: \.delivery.content.sha256).sorted {
            ($0.value[0].asset.at, $0.key) < ($1.value[0].asset.at, $1.key)
        }
        let list = frames.prefix(5).map { sha256, orders in
            let asset = orders[0].asset, date = TargetLine.time(asset.at).map { ", \($0)" } ?? ""
            return "\(sha256) (\(Describe.name(asset.origin.absolutePath))\(date))"
        }
        return "\(Describe.name(file)) does not say which frame is meant. \(why). Name it by its SHA-256: "
            + list.joined(separator: ", ") + (frames.count > 5 ? " …" : "") + "."
    }

    /// For many paths, by what is mounted now.
    static func volumes() -> @Sendable (String) -> String? {
        guard let volumes = try? Volumes.current() else { return { _ in nil } }
        var identities: [Mount: String] = [:]
        for mount in volumes.table.mounts where volumes.isRemovable(mount) {
            identities[mount] = (try? volumes.volume(of: mount.point))?.identity
        }
        let known = identities
        return { path in
            isThere(path) ? volumes.table.mount(of: FileSystem.canonical(path)).flatMap { known[$0] } : nil
        }
    }

    private static func isThere(_ path: String) -> Bool {
        path.hasPrefix("/") && ((try? FileFacts.of(path)) ?? nil) != nil
    }

    /// A SHA-256 in hexadecimal, and no path.
    static func isDigest(_ file: String) -> Bool {
        file.utf8.count == 64
            && file.utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
    }

    /// `file` is that path, or a folder above it.
    static func isAt(_ file: String, _ path: String) -> Bool {
        path == file || path.hasPrefix(file.hasSuffix("/") ? file : file + "/")
    }

    /// A whole identity, such as the page sends, means that place alone and none of its events.
    private static func meant(
        _ target: String, from start: UserPath, among orders: [QueuedDelivery]
    ) -> [QueuedDelivery] {
        let exact = orders.filter { $0.delivery.target == target }
        return exact.isEmpty ? orders.filter { isMeant($0.delivery, by: target, from: start) } : exact
    }

    static func isMeant(_ delivery: DeliveryRow, by target: String, from start: UserPath) -> Bool {
        isMeant(delivery.target, delivery.targetName, by: target, from: start)
    }

    /// Whether `target` names the target of that identity and name.
    static func isMeant(_ identity: String, _ name: String, by target: String, from start: UserPath) -> Bool {
        if name == target { return true }
        // A folder may be named from the working directory.
        let places = [target, start.absolute(target)]
        return [identity, TargetLabel.place(of: identity)].contains { known in
            places.contains { known == $0 || isEvent(of: known, at: $0) }
        }
    }

    /// Whether `place` is `target` for one of its events: neither all targets of a kind, nor another port of a server.
    private static func isEvent(of place: String, at target: String) -> Bool {
        guard place.hasPrefix(target + ":"), target.contains("/") else { return false }
        let rest = place.dropFirst(target.count + 1)
        let host = target.firstRange(of: "://").map { target[$0.upperBound...] } ?? target[...]
        return host.contains("/") || rest.first?.isNumber != true
    }

    private func refuse(_ target: String, _ meant: [QueuedDelivery], among orders: [QueuedDelivery]) throws {
        let called = called ?? target, places = Set(meant.map(\.delivery.target)).sorted()
        if places.count > 1, meant.contains(where: { $0.delivery.targetName == target }) {
            let list = places.map { "--target '\(TargetLabel.place(of: $0))'" }.joined(separator: " or ")
            throw Refusal("`\(called)` stands for several places; say which: \(list).")
        }
        guard meant.isEmpty, !orders.isEmpty else { return }
        let all = orders.map { ($0.delivery.targetName, $0.delivery.target) } + noted.map { ($0.name, $0.identity) }
        let known = Set(all.map { name, identity in "\(name) (\(TargetLabel.place(of: identity)))" }).sorted()
        throw Refusal("There is nothing for `\(called)` here; there is for: \(known.joined(separator: ", ")).")
    }
}

/// What would be taken back, for a person: places, counts, sizes and names.
struct OrderList {
    let lines: [String]
    private static let most = 10

    init(_ orders: [QueuedDelivery], all: Bool) {
        var lines: [String] = []
        for (identity, group) in Dictionary(grouping: orders, by: \.delivery.target).sorted(by: { $0.key < $1.key }) {
            let bytes = group.reduce(UInt64(0)) { $0.addingClamped($1.delivery.size) }
            let place = Describe.name("\(group[0].delivery.targetName) (\(TargetLabel.place(of: identity)))")
            lines.append("\(place): \(Describe.count(group.count, "file")), \(Describe.bytes(bytes))")
            let shown = all ? group[...] : group.prefix(Self.most)
            lines += shown.map {
                "  \($0.delivery.receipt.state.rawValue): \(Describe.name($0.asset.origin.absolutePath))"
            }
            if shown.count < group.count { lines.append("  and \(group.count - shown.count) more (-v names them all)") }
        }
        self.lines = lines
    }
}
