import FilmgateCore
import FilmgateEngine

/// Where the files lie that something waits of, and what they are called: looked through once for all names that a
/// command is given, as these may be very many.
struct WaitingPlaces {
    /// What waits; a delivery names the latest of the files with its bytes, so for each other one it stands here again.
    private let orders: [QueuedDelivery]
    /// By paths at sources, and of copies; and every folder above these.
    private var byPath: [String: [Int]] = [:], folders: Set<String> = []
    private(set) var byName: [String: Set<ContentKey>] = [:]
    private let volume = OrderChoice.volumes(), start: UserPath

    init(
        _ waiting: [QueuedDelivery], _ reader: any LedgerReader, from start: UserPath
    ) async throws(IngestError) {
        self.start = start
        var orders = waiting, first: [ContentKey: QueuedDelivery] = [:]
        for one in waiting where first[one.delivery.content] == nil { first[one.delivery.content] = one }
        for file in try await reader.assets(AssetFilter(endings: [.pending, .setAside], limit: .max)) {
            guard let content = file.content, var twin = first[content], twin.asset.origin != file.origin else {
                continue
            }
            twin.asset = file
            orders.append(twin)
        }
        self.orders = orders
        for (index, one) in orders.enumerated() {
            let origin = one.asset.origin
            note(origin.absolutePath, index)
            if let copy = one.delivery.receipt.path { note(copy, index) }
            byName[origin.name, default: []].insert(one.delivery.content)
        }
    }

    private mutating func note(_ path: String, _ index: Int) {
        byPath[path, default: []].append(index)
        var rest = path[...]
        while let end = rest.utf8.lastIndex(of: UInt8(ascii: "/")) {
            rest = rest[..<end]
            // What is above it is known with it.
            guard folders.insert(String(rest)).inserted else { return }
        }
    }

    /// The paths of all files, at their sources.
    var paths: [String] { orders.map(\.asset.origin.absolutePath) }

    /// What waits of the file or folder at that path; throws a `Refusal` as `OrderChoice` does.
    func chosen(_ path: String) throws -> [QueuedDelivery] {
        var folder = path[...]
        while folder.hasSuffix("/") { folder.removeLast() }
        var there = byPath[path]?.map { orders[$0] } ?? []
        if folders.contains(String(folder)) {
            there = orders.filter { one in
                [one.asset.origin.absolutePath, one.delivery.receipt.path ?? ""].contains {
                    OrderChoice.isAt(path, $0)
                }
            }
        }
        return there.isEmpty ? [] : try choice(of: path).choose(there)
    }

    private func choice(of path: String) -> OrderChoice {
        OrderChoice(target: nil, files: [path], start: start, volume: volume)
    }
}
