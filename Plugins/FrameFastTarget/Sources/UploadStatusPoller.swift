import FilmgateCore

/// Asks what became of uploads: all that wait in one question, every few seconds.
actor UploadStatusPoller {
    private struct Waiter {
        var id: String, since: ContinuousClock.Instant
        var resume: CheckedContinuation<Result<UploadStatus, IngestError>, Never>
    }
    /// The service answers for so many at once.
    static let most = 50

    private let api: FrameFastAPI, interval: Duration, patience: Duration
    private var waiting: [Waiter] = []
    private var isAsking = false

    init(_ api: FrameFastAPI, every interval: Duration, patience: Duration) {
        (self.api, self.interval, self.patience) = (api, interval, patience)
    }

    /// How the upload ended, or where it stands when patience has run out.
    func outcome(of id: String) async throws(IngestError) -> UploadStatus {
        let result = await withCheckedContinuation { continuation in
            waiting.append(Waiter(id: id, since: .now, resume: continuation))
            if !isAsking {
                isAsking = true
                Task { await self.ask() }
            }
        }
        return try result.get()
    }

    private func ask() async {
        while !waiting.isEmpty {
            // Who waits longest comes first, and each is asked about in every round.
            var seen: Set<String> = [], rest = waiting.map(\.id).filter { seen.insert($0).inserted }[...]
            while !rest.isEmpty {
                let ids = Array(rest.prefix(Self.most)), api = api
                rest = rest.dropFirst(Self.most)
                settle(ids, await Result { () async throws(IngestError) in try await api.status(of: ids) })
            }
            if !waiting.isEmpty { try? await Task.sleep(for: interval) }
        }
        isAsking = false
    }

    private func settle(_ ids: [String], _ answer: Result<[String: UploadStatus], IngestError>) {
        var left: [Waiter] = []
        for waiter in waiting {
            guard ids.contains(waiter.id) else {
                left.append(waiter)
                continue
            }
            switch answer {
            case .failure(let error): waiter.resume.resume(returning: .failure(error))
            case .success(let table):
                let status = table[waiter.id] ?? UploadStatus(state: "unknown", code: "", message: "", photo: nil)
                if ["completed", "failed", "expired"].contains(status.state)
                    || ContinuousClock.now - waiter.since > patience
                {
                    waiter.resume.resume(returning: .success(status))
                } else {
                    left.append(waiter)
                }
            }
        }
        waiting = left
    }
}
