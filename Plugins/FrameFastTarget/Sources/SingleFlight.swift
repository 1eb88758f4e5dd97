import FilmgateCore

/// Does something once, however many ask for it at the same time; what failed is tried again by the next who asks.
actor SingleFlight {
    private var running: Task<IngestError?, Never>?

    func once(_ body: @escaping @Sendable () async throws(IngestError) -> Void) async throws(IngestError) {
        let task = running ?? Task { await Self.failure(of: body) }
        running = task
        guard let error = await task.value else { return }
        if running == task { running = nil }
        throw error
    }

    private static func failure(of body: @Sendable () async throws(IngestError) -> Void) async -> IngestError? {
        do throws(IngestError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }
}
