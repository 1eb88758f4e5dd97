import FilmgateCore
import FilmgateEngine

extension EventDirectories {
    /// What was read of a gallery's list so far.
    struct Reading: Sendable {
        var events: [GalleryEvent] = [], seen: Set<String> = []
        /// Asks for the page to go on with; nil at the end of the list.
        var next: String?
        var isWhole: Bool { next == nil }
    }

    /// How far a list is read.
    private struct Reach: Sendable {
        var events: Int, pages: Int
        /// The reading ends early once all of these were seen.
        var ids: [String] = []
        var patience: Duration

        func isReached(by reading: Reading) -> Bool {
            reading.events.count >= events || !ids.isEmpty && ids.allSatisfy { reading.seen.contains($0) }
        }
    }

    /// The list up to `limit`, and on from there while events that are looked for are not in it.
    ///
    /// Nil where there is nothing to choose.
    func read(_ directory: any EventDirectory, _ seeking: [String]) async -> Result<Reading?, IngestError> {
        let first = await Self.read(directory, on: Reading(), Reach(events: limit, pages: 50, patience: .seconds(8)))
        guard case .success(let begun?) = first, !begun.isWhole else { return first }
        let known = begun.events.prefix(limit).map { EventList.Item(id: $0.id, name: $0.name, date: nil, note: nil) }
        guard seeking.contains(where: { text in !known.contains { $0.isMeant(by: text) } }) else { return first }
        // To its end, unless an id is met: of two events of one name the first must not be taken for the only one.
        let further = Reach(events: max(limit, 100_000), pages: 2000, ids: seeking, patience: .seconds(60))
        return await Self.read(directory, on: begun, further)
    }

    private static func read(_ directory: any EventDirectory, on reading: Reading, _ reach: Reach) async -> Result<
        Reading?, IngestError
    > {
        await withTaskGroup(of: Result<Reading?, IngestError>.self) { group in
            group.addTask {
                await Result { () async throws(IngestError) in try await pages(directory, on: reading, reach) }
            }
            group.addTask {
                try? await Task.sleep(for: reach.patience)
                return .failure(
                    IngestError(
                        .unavailable, "The gallery took longer than \(reach.patience.shown ?? "") for its events."))
            }
            let first = await group.next()
            group.cancelAll()
            return first ?? .failure(IngestError(.cancelled, "Stopped."))
        }
    }

    private static func pages(
        _ directory: any EventDirectory, on begun: Reading, _ reach: Reach
    ) async throws(IngestError) -> Reading? {
        var events = begun.events, seen = begun.seen, next = begun.next
        for _ in 0..<reach.pages {
            guard let page = try await directory.events(next) else { return nil }
            // A list may grow at its head while it is read: what moved to the next page is not told twice.
            events += page.events.filter { seen.insert($0.id).inserted }
            next = page.next == next ? nil : page.next
            let reading = Reading(events: events, seen: seen, next: next)
            if reading.isWhole || reach.isReached(by: reading) { return reading }
        }
        return Reading(events: events, seen: seen, next: next)
    }
}
