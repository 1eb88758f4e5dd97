import FilmgateCore

/// Waits for a camera's news in its make's way, and passes on what is new.
struct CameraWatch: Sendable {
    private let session: CameraSession
    private let out: AsyncStream<SourceNews>.Continuation

    init(_ session: CameraSession, _ out: AsyncStream<SourceNews>.Continuation) { (self.session, self.out) = (session, out) }

    func run() async {
        defer { out.finish() }
        var pause = Duration.zero
        var isLost = false
        while !Task.isCancelled, !session.isClosed {
            do throws(PTPError) {
                if isLost {
                    try await session.comeBack()
                    isLost = false
                    out.yield(.back)
                    try await relist()
                }
                let count = try await round()
                pause = next(pause, found: count)
                await wait(pause)
            } catch {
                guard !Task.isCancelled, !session.isClosed else { return }
                if !isLost { out.yield(.lost(IngestError(error, camera: session.place.label))) }
                (pause, isLost) = (isLost ? min(pause * 2, .seconds(30)) : .milliseconds(500), true)
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// One look; how much was new.
    private func round() async throws(PTPError) -> Int {
        let (camera, handler) = (session.camera, session.handler)
        if case .listing = session.quirks.news {
            _ = camera.mailbox.take()
            return try await relist()
        }
        let isQuiet = session.quirks.keepAlive.map { session.silence >= $0 } ?? false
        let (objects, again) = try await camera.run { camera throws(PTPError) -> ([CameraObject], Bool) in
            try camera.pollEvents()
            let (events, overflowed) = camera.mailbox.take()
            if isQuiet { try handler.keepAlive(camera) }
            let news = try handler.news(camera, events)
            let objects = try Self.objects(in: news, camera)
            return (objects, overflowed || news.contains(.changed))
        }
        if isQuiet || !objects.isEmpty { session.spoke() }
        if let failure = await camera.failure { throw failure }
        return arrive(objects) + (again ? try await relist() : 0)
    }

    /// Handles become objects; each once, in the order of the news.
    private static func objects(in news: [CameraNews], _ camera: isolated PTPCamera) throws(PTPError) -> [CameraObject] {
        var objects: [CameraObject] = [], seen: Set<ObjectHandle> = []
        for item in news {
            switch item {
            case .object(let object): if seen.insert(object.handle).inserted { objects.append(object) }
            case .added(let handle):
                guard seen.insert(handle).inserted, let object = try StandardListing.object(handle, camera) else { continue }
                objects.append(object)
            case .leaving: throw .gone("it said goodbye")
            case .removed, .changed: continue
            }
        }
        return objects
    }

    @discardableResult
    private func relist() async throws(PTPError) -> Int { arrive(try await session.list()) }

    /// Passes on what has not been told about before.
    private func arrive(_ objects: [CameraObject]) -> Int {
        let fresh = session.maker.arrange(objects).filter { !session.known($0.entry) }
        session.remember(fresh)
        for (_, entry) in fresh { out.yield(.arrived(entry)) }
        return fresh.count
    }

    private func next(_ pause: Duration, found: Int) -> Duration {
        switch session.quirks.news {
        case .events: .milliseconds(100)
        case .listing(let every): every
        case .polling(let from, let upTo): found > 0 ? .zero : min(max(from, pause + from), upTo)
        }
    }

    /// Until the next look, or until the event channel has something.
    private func wait(_ pause: Duration) async {
        let camera = session.camera
        await camera.mailbox.wait(upTo: pause)
    }
}
