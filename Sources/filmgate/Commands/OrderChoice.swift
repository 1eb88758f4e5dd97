import FilmgateCore

/// Which of the deliveries that wait are meant.
struct OrderChoice {
    /// The name, address or folder of a target; nil = any.
    let target: String?
    /// Paths at the source, folders of it, or digests; empty = all.
    let files: [String]

    /// Throws a `Refusal` for a target that nothing is known of, and for a name that stands for several places.
    func choose(_ orders: [QueuedDelivery]) throws -> [QueuedDelivery] {
        let meant = target.map { target in orders.filter { Self.isMeant($0.delivery, by: target) } } ?? orders
        if let target { try refuse(target, meant, among: orders) }
        return meant.filter { order in files.isEmpty || files.contains { Self.isMeant(order, by: $0) } }
    }

    /// A SHA-256 in hexadecimal, and no path.
    static func isDigest(_ file: String) -> Bool {
        file.utf8.count == 64
            && file.utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
    }

    private static func isMeant(_ order: QueuedDelivery, by file: String) -> Bool {
        let folder = file.hasSuffix("/") ? file : file + "/"
        // Of a copy that was removed people know where it was.
        let paths = [order.asset.origin.absolutePath, order.delivery.receipt.path ?? ""]
        return order.delivery.content.sha256 == file || paths.contains { $0 == file || $0.hasPrefix(folder) }
    }

    private static func isMeant(_ delivery: DeliveryRow, by target: String) -> Bool {
        if delivery.targetName == target { return true }
        // A folder may be named from the working directory.
        let places = [target, UserPath.absolute(target)]
        return [delivery.target, TargetLabel.place(of: delivery.target)].contains { known in
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
        let places = Set(meant.map(\.delivery.target)).sorted()
        if places.count > 1, meant.contains(where: { $0.delivery.targetName == target }) {
            let list = places.map { "--target '\(TargetLabel.place(of: $0))'" }.joined(separator: " or ")
            throw Refusal("`\(target)` stands for several places; say which: \(list).")
        }
        guard meant.isEmpty, !orders.isEmpty else { return }
        let known = Set(orders.map { "\($0.delivery.targetName) (\(TargetLabel.place(of: $0.delivery.target)))" })
            .sorted()
        throw Refusal("There is nothing for `\(target)` here; there is for: \(known.joined(separator: ", ")).")
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
