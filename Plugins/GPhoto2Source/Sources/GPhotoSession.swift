import FilmgateCore
import GPhoto2Wire
import Synchronization

/// One camera in libgphoto2's hands.
///
/// When its process dies it is started again and the camera opened anew, a few times; a file is then read again from
/// its beginning, and what had come is compared.
actor GPhotoSession: WatchingSession, PartialListingSession, ResultHandlingSession, PreviewingSession {
    nonisolated let place: SourcePlace
    nonisolated let volume: String
    /// The camera is told from others of its kind where it has a serial number.
    nonisolated let traits: SessionTraits
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let executor: BlockingExecutor
    private let connect: GPhotoConnect
    private let opening: GPhotoRequest
    private let maker: GPhotoEntries
    private let current: Mutex<(link: (any GPhotoLink)?, isClosed: Bool)>
    nonisolated let known = Mutex(GPhotoFiles())
    private var pace = PreviewPace(), showsNothing = false
    /// Why the last listing showed nothing.
    private var gap: IngestError?

    private init(
        _ place: SourcePlace, _ body: GPhotoBody, _ formats: [MediaKind], _ opening: GPhotoRequest,
        _ link: any GPhotoLink, _ connect: @escaping GPhotoConnect, _ executor: BlockingExecutor
    ) {
        (self.place, self.opening, self.connect, self.executor) = (place, opening, connect, executor)
        volume = GPhotoEntries.volume(body, at: place.address)
        traits = SessionTraits(identifiesDevice: GPhotoEntries.hasSerial(body), parallelFetches: 1)
        maker = GPhotoEntries(place: place, volume: volume, formats: formats)
        current = Mutex((link, false))
    }

    /// Starts a process and opens the camera in it.
    static func open(
        _ place: SourcePlace, _ request: GPhotoRequest, _ config: GPhoto2Source.Config,
        _ connect: @escaping GPhotoConnect
    ) async throws(IngestError) -> GPhotoSession {
        let pool = BlockingPool(width: 1)
        let (link, body) = try await pool.run { () throws(IngestError) in
            let link = try connect()
            do throws(IngestError) { return (link, try Self.open(link, request)) } catch {
                link.end()
                throw error.at(place.label)
            }
        }
        return GPhotoSession(place, body, config.formats, request, link, connect, BlockingExecutor())
    }

    private static func open(_ link: any GPhotoLink, _ request: GPhotoRequest) throws(IngestError) -> GPhotoBody {
        var body = GPhotoBody()
        // Waking up an old camera on a serial line takes its time.
        try link.ask(request, silence: .seconds(60)) { if case .opened(let told) = $0 { body = told } }
        return body
    }

    func entries() async throws(IngestError) -> [SourceEntry] {
        var files: [GPhotoFile] = []
        gap = nil
        do throws(IngestError) {
            try again(tries: 2) { link throws(IngestError) in
                files = []
                try link.ask(.list, silence: .seconds(120)) { if case .file(let file) = $0 { files.append(file) } }
            }
        } catch {
            // No card, which one may still be put in for.
            guard error.code == .notFound, files.isEmpty else { throw error }
            gap = error
        }
        for index in files.indices where files[index].size == GPhotoFile.unknownSize {
            files[index].size = try measured(files[index].path)
        }
        let arranged = maker.arrange(files)
        note(arranged)
        return arranged.map(\.entry)
    }

    func unlisted() async -> IngestError? { gap }

    private func note(_ told: [(file: GPhotoFile, entry: SourceEntry)]) {
        known.withLock { known in for (file, entry) in told { known.note(file.path, entry.origin) } }
    }

    nonisolated func settled(_ settled: AssetResult) {
        if settled.ending != .pending { known.withLock { $0.settle(settled.asset.origin) } }
    }

    /// Reads a file only to count it: some old cameras do not say how large their files are.
    ///
    /// 0 where it cannot be read.
    private func measured(_ path: GPhotoPath) throws(IngestError) -> UInt64 {
        var count: UInt64 = 0
        do throws(IngestError) {
            try again(tries: 1) { link throws(IngestError) in
                try link.ask(.read(path, from: 0), silence: .seconds(60)) {
                    if case .data(let bytes) = $0 { count += UInt64(bytes.count) }
                }
            }
        } catch {
            if error.code == .deviceGone { throw error }
            return 0
        }
        return count
    }

    func fetch(_ origin: Origin, from offset: UInt64, into sink: any ByteSink) async throws(IngestError) {
        guard let path = known.withLock({ $0[origin] }) else {
            throw IngestError(.notFound, "\(origin.path) is no longer on \(place.label).")
        }
        let reading = RepeatedRead(sink, of: origin.path, from: offset)
        try again(tries: 3) { link throws(IngestError) in
            guard reading.position < origin.size || reading.position == 0 else { return }
            var (position, sink) = reading.attempt()
            try link.ask(.read(path, from: position), silence: .seconds(60)) { reply throws(IngestError) in
                guard case .data(let bytes) = reply else { return }
                guard UInt64(bytes.count) <= origin.size - min(position, origin.size) else {
                    throw IngestError(
                        .corruptData,
                        "\(origin.path) is longer than the \(origin.size) bytes that \(self.place.label) announced.")
                }
                try sink.write(bytes.span.bytes)
                position += UInt64(bytes.count)
            }
        }
        guard reading.position == origin.size else {
            throw IngestError(
                .corruptData,
                "\(place.label) announced \(origin.size) bytes of \(origin.path) and sent \(reading.position).")
        }
    }

    /// Between two files: whoever reads one has this actor until its end.
    ///
    /// A process that ended at the question, or hung, would do so again; so would one that had to be ended because the
    /// picture had no end.
    func preview(of origin: Origin, upTo limit: Int) async throws(IngestError) -> [UInt8]? {
        if showsNothing { return nil }
        guard !Task.isCancelled, ContinuousClock.now >= pace.due, let path = known.withLock({ $0[origin] }) else {
            throw IngestError(.unavailable, "\(place.label) has other things to do.", advice: "Ask again in a moment.")
        }
        var bytes: [UInt8] = [], begun: ContinuousClock.Instant?
        let asked = Result { () throws(IngestError) in
            try again(tries: 1) { link throws(IngestError) in
                // Not what opening the camera anew took.
                begun = .now
                try link.ask(.show(path), silence: .seconds(5)) { reply throws(IngestError) in
                    guard case .data(let part) = reply else { return }
                    guard part.count <= limit - bytes.count else {
                        throw IngestError(.corruptData, "The small picture of \(origin.path) is too large.")
                    }
                    bytes += part
                }
            }
        }
        if let begun { pace.asked(at: begun) }
        if case .failure(let error) = asked {
            if error.code == .deviceBusy { throw error }
            showsNothing = error.code == .deviceGone || current.withLock { $0.link == nil }
            return nil
        }
        return bytes.isEmpty ? nil : bytes
    }

    nonisolated func localPath(_ origin: Origin) -> String? { nil }

    /// Asks libgphoto2 for its events, half a second at a time, so that files can be fetched in between.
    func arrivals() async throws(IngestError) -> AsyncStream<SourceNews> {
        let (stream, continuation) = AsyncStream<SourceNews>.makeStream()
        let task = Task { [weak self] in
            var failures = 0
            while !Task.isCancelled, let self, !isClosed {
                do throws(IngestError) {
                    for entry in try await self.news() { continuation.yield(.arrived(entry)) }
                    if failures > 0 { continuation.yield(.back) }
                    failures = 0
                } catch {
                    if failures == 0, !isClosed { continuation.yield(.lost(error)) }
                    failures += 1
                    try? await Task.sleep(for: min(.seconds(30), .milliseconds(500) * (1 << min(failures, 6))))
                }
                try? await Task.sleep(for: .milliseconds(20))
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func news() throws(IngestError) -> [SourceEntry] {
        var files: [GPhotoFile] = []
        try again(tries: 1) { link throws(IngestError) in
            try link.ask(.wait(milliseconds: 500), silence: .seconds(60)) {
                if case .file(let file) = $0 { files.append(file) }
            }
        }
        for index in files.indices where files[index].size == GPhotoFile.unknownSize {
            files[index].size = try measured(files[index].path)
        }
        let fresh = maker.arrange(files).filter { file in
            // Without a date it may be another one under the same name.
            file.entry.origin.evidence == .nothing || !known.withLock { $0.isTold(file.entry.origin) }
        }
        note(fresh)
        return fresh.map(\.entry)
    }

    nonisolated var isClosed: Bool { current.withLock(\.isClosed) }

    /// Ends libgphoto2's process, which closes the camera; within four seconds.
    nonisolated func close() async {
        let link = current.withLock { current in
            current.isClosed = true
            return current.link.take()
        }
        guard let link else { return }
        let pool = BlockingPool(width: 1)
        try? await pool.run { () throws(IngestError) in link.end() }
    }

    /// Runs `body`, and again in a new process when the one before died.
    private func again(tries: Int, _ body: (any GPhotoLink) throws(IngestError) -> Void) throws(IngestError) {
        var left = tries
        while true {
            do throws(IngestError) { return try body(try link()) } catch {
                left -= 1
                let isLost = error.code == .deviceGone
                let old = current.withLock { isLost || $0.link?.isOver == true ? $0.link.take() : nil }
                old?.end()
                guard isLost else { throw error.at(place.label) }
                guard left > 0, !isClosed else { throw error.at(place.label) }
            }
        }
    }

    private func link() throws(IngestError) -> any GPhotoLink {
        let (known, isClosed) = current.withLock { ($0.link, $0.isClosed) }
        if isClosed { throw IngestError(.deviceGone, "The session was closed.") }
        if let known { return known }
        let link = try connect()
        do throws(IngestError) {
            let body = try Self.open(link, opening)
            guard GPhotoEntries.volume(body, at: place.address) == volume else {
                throw IngestError(.deviceGone, "Another camera is there now.")
            }
        } catch {
            link.end()
            throw error
        }
        let isLate = current.withLock { current in
            if !current.isClosed { current.link = link }
            return current.isClosed
        }
        if isLate { link.end() }
        return link
    }
}

extension IngestError {
    /// The same, with the camera's name in front.
    fileprivate func at(_ label: String) -> IngestError {
        var copy = self
        if !message.hasPrefix(label) { copy.message = "\(label): \(message)" }
        return copy
    }
}
