import FilmgateCore

/// Waits for a camera's news in its make's way, and passes on what is new.
///
/// `CameraSession.arrivals` starts one; what it passes on comes to the engine's `ArrivalWatch`.
struct CameraWatch: Sendable {
    private let session: CameraSession
    private let out: AsyncStream<SourceNews>.Continuation
    /// Looks in a row that a camera may refuse before it is left and visited again.
    private static let refusals = 5

    init(_ session: CameraSession, _ out: AsyncStream<SourceNews>.Continuation) {
        (self.session, self.out) = (session, out)
    }

    private var isWanted: Bool { !Task.isCancelled && !session.connection.isClosed }

    func run() async {
        defer { out.finish() }
        var (pause, failures) = (Duration.zero, 0)
        while isWanted {
            let camera = session.connection.camera
            do throws(PTPError) {
                let look = try await round(camera)
                failures = 0
                pause = next(pause, found: look.count)
                await camera.eventQueue.wait(
                    upTo: look.isSettling ? min(pause, session.connection.quirks.settle) : pause)
            } catch {
                // What was told in the look that failed is found again by a listing.
                session.oweListing()
                failures += 1
                let isOver = await camera.failure != nil || error.refusal == nil || error.losesSession
                if isOver || failures >= Self.refusals {
                    await away(camera, error)
                    failures = 0
                } else {
                    try? await Task.sleep(for: .milliseconds(250) * (1 << failures))
                }
            }
        }
    }

    /// From the loss of the camera to its return.
    private func away(_ camera: PTPCamera, _ error: PTPError) async {
        guard isWanted, session.connection.camera === camera else { return }
        out.yield(.lost(IngestError(error, camera: session.place.label)))
        // To look along a bus costs nothing.
        let rarest = session.connection.isOnBus ? Duration.seconds(2) : .seconds(30)
        var pause = Duration.milliseconds(500)
        while isWanted {
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, rarest)
            guard isWanted else { return }
            do throws(PTPError) {
                try await session.connection.comeBack(from: camera)
                out.yield(.back)
                return
            } catch { continue }
        }
    }

    /// One look: events are fetched and read as news, handles become objects, and what is new is passed on.
    ///
    /// Returns how much was new, and whether objects wait whose size has not settled yet.
    private func round(_ camera: PTPCamera) async throws(PTPError) -> (count: Int, isSettling: Bool) {
        if case .listing = session.connection.quirks.news { session.oweListing() }
        var count = session.owesListing ? try await relist() : 0
        let (handler, asksForNews) = (session.connection.handler, session.connection.quirks.asksForNews)
        let isQuiet = session.connection.quirks.keepAlive.map { session.connection.silence >= $0 } ?? false
        let (objects, again, isSettling) = try await camera.run {
            camera throws(PTPError) -> ([CameraObject], Bool, Bool) in
            try camera.pollEvents()
            let (events, overflowed) = camera.eventQueue.take()
            if isQuiet { try handler.keepAlive(camera) }
            let news = asksForNews ? try handler.news(camera, events) : []
            let again = overflowed || news.contains(.changed)
            if events.contains(where: { $0.code == .storeAdded || $0.code == .storeRemoved }) {
                session.objects.changedCard()
            }
            // Another card may be in, with folders of other names.
            if again { (camera[StoreLabels.self], camera[FolderNames.self]) = (StoreLabels(), FolderNames()) }
            let objects = try camera.marked(Self.objects(in: news, camera) + SizeSettling.settled(camera))
            try StoreLabels.confirm(camera)
            return (objects, again, !camera[SizeSettling.self].isEmpty)
        }
        if isQuiet || !objects.isEmpty { session.connection.spoke() }
        if let failure = await camera.failure { throw failure }
        count += arrive(objects)
        if again {
            session.oweListing()
            count += try await relist()
        }
        return (count, isSettling)
    }

    /// Handles become objects; each once, in the order of the news.
    ///
    /// One that may still be written goes into `SizeSettling`; `SizeSettling.settled` gives it out in a later look.
    private static func objects(
        in news: [CameraNews], _ camera: isolated PTPCamera
    ) throws(PTPError) -> [CameraObject] {
        var objects: [CameraObject] = [], seen: Set<ObjectHandle> = []
        for item in news {
            switch item {
            case .object(let object): if seen.insert(object.handle).inserted { objects.append(object) }
            case .added(let handle):
                guard seen.insert(handle).inserted, let object = try StandardListing.object(handle, camera) else {
                    continue
                }
                let settle = camera.quirks.settle
                if settle > .zero {
                    camera[SizeSettling.self].add(object, settle: settle)
                } else {
                    objects.append(object)
                }
            case .leaving: throw .gone("the camera ended the connection")
            case .removed(let handle): camera[SizeSettling.self].forget(handle)
            case .changed: continue
            }
        }
        return objects
    }

    private func relist() async throws(PTPError) -> Int {
        let before = await session.unlisted()
        let count = arrive(
            try await session.list { [objects = session.objects] in !objects.contains($0) }.filter { !$0.isUnfinished })
        // Part of the camera is out of reach: said once, and the rest goes on.
        if let error = await session.unlisted(), error.message != before?.message {
            out.yield(.lost(error))
            out.yield(.back)
        }
        return count
    }

    /// Passes on what has not been told about before, as entries that carry no handle: `KnownObjects` keeps that.
    private func arrive(_ objects: [CameraObject]) -> Int {
        let fresh = objects.filter { !session.objects.contains($0) }
        session.objects.remember(fresh)
        for entry in session.maker.arrange(fresh) { out.yield(.arrived(entry)) }
        return fresh.count
    }

    private func next(_ pause: Duration, found: Int) -> Duration {
        switch session.connection.quirks.news {
        case .events: .milliseconds(100)
        case .listing(let every): every
        case .polling(let from, let upTo): found > 0 ? .zero : min(max(from, pause + from), upTo)
        }
    }
}
