import FileKit
public import FilmgateCore
import MediaKit
import PreviewWire

/// Makes pictures for looking, one at a time, and keeps them.
///
/// Nothing is decoded in this process; whatever a file does to the decoder costs that file its picture and nothing
/// else.
public actor PreviewMaker {
    private let cache: PreviewCache, decoder: PreviewDecoder
    private let reading = BlockingPool(width: 4), making = BlockingPool(width: 1)
    private var running: [PreviewKey: Task<Result<[UInt8], IngestError>, Never>] = [:]
    /// Contents that there is no picture of, and why, until this process ends.
    private var failed: [PreviewKey: String] = [:]
    private var watch: Task<Void, Never>?

    private static let mostRunning = 256, mostFailed = 4096
    /// Bytes of all pictures that are kept.
    public static let limit: UInt64 = 4 << 30

    /// - Parameters:
    ///   - folder: where pictures are kept, with a mode that lets nobody else in.
    ///   - program: what decodes; nil to look for the one that came with this program.
    ///   - isBusy: whether a run takes or sends just now, and pictures have to stand back.
    public init(
        folder: String, limit: UInt64 = limit, program: String? = nil,
        isBusy: @escaping @Sendable () -> Bool = { false }
    ) {
        cache = PreviewCache(folder, limit: limit)
        decoder = PreviewDecoder(
            program: program ?? CompanionProgram.path(of: "filmgate-previews", variable: "FILMGATE_PREVIEWS"),
            isBusy: isBusy)
    }

    /// The picture as a JPEG: a kept one, or one made of the first of `sources` that is there.
    ///
    /// `notFound` when none is there now, `corruptData` when nothing in it can be shown, `unavailable` when it may be
    /// had later; with `retryAfter` where others are made just now.
    public func picture(
        _ key: PreviewKey, _ sources: @escaping @Sendable () async throws(IngestError) -> [PreviewSource]
    ) async throws(IngestError) -> [UInt8] {
        let cache = cache
        if key.size.isKept, let kept = try await reading.run({ () throws(IngestError) in cache.read(key) }) {
            return kept
        }
        if let reason = failed[key] { throw IngestError(.corruptData, reason) }
        if let task = running[key] { return try await task.value.get() }
        guard running.count < Self.mostRunning else {
            throw IngestError(
                .unavailable, "Too many pictures are asked for at once.", advice: "Ask again in a moment.",
                retryAfter: .seconds(1))
        }
        let task = Task {
            let result = await Result { () async throws(IngestError) in try await make(key, sources) }
            finish(key, result)
            return result
        }
        running[key] = task
        return try await task.value.get()
    }

    /// A small picture of bytes that are a picture already, such as a camera's own of a file that is still to be read; it
    /// is not kept.
    ///
    /// `corruptData` when it cannot be shown, `unavailable` when it may be had later.
    public func thumbnail(of bytes: [UInt8]) async throws(IngestError) -> [UInt8] {
        let decoder = decoder, size = PreviewSize.thumbnail
        defer { if watch == nil { watch = Task { await endWhenIdle() } } }
        return try await making.run { () throws(IngestError) -> [UInt8] in
            guard (1...PreviewRequest.mostBytes).contains(bytes.count) else { throw Self.undecodable }
            let request = PreviewRequest(length: bytes.count, longEdge: size.longEdge, quality: size.quality)
            let (reply, jpeg) = try decoder.make(request) { (offset, count) throws(IngestError) in
                Array(bytes[offset..<(offset + count)])
            }
            guard reply.outcome == .done || reply.outcome == .damaged else { throw Self.undecodable }
            return jpeg
        }
    }

    private static var undecodable: IngestError {
        IngestError(.corruptData, "This holds no picture that can be shown.")
    }

    private func make(
        _ key: PreviewKey, _ sources: @Sendable () async throws(IngestError) -> [PreviewSource]
    ) async throws(IngestError) -> [UInt8] {
        let sources = try await sources(), cache = cache, decoder = decoder
        return try await making.run { () throws(IngestError) in
            let jpeg = try Self.made(key.size, sources, decoder)
            if key.size.isKept { cache.write(key, jpeg) }
            return jpeg
        }
    }

    private func finish(_ key: PreviewKey, _ result: Result<[UInt8], IngestError>) {
        running[key] = nil
        if case .failure(let error) = result, error.code == .corruptData {
            if failed.count >= Self.mostFailed { failed = [:] }
            failed[key] = error.message
        }
        if watch == nil { watch = Task { await endWhenIdle() } }
    }

    /// Not for each picture anew: the process stays for as long as somebody looks.
    private func endWhenIdle() async {
        let decoder = decoder
        var isNeeded = true
        while isNeeded, !Task.isCancelled {
            try? await Task.sleep(for: .seconds(20))
            isNeeded = (try? await making.run { () throws(IngestError) in decoder.endIfIdle() }) ?? false
        }
        watch = nil
    }

    /// Ends what decodes; blocks for a moment.
    public nonisolated func end() { decoder.end() }
}

extension PreviewMaker {
    private struct Bytes: ByteSource {
        let file: RootedFile
        var size: UInt64 { file.facts.size }

        func read(at offset: UInt64, count: Int) -> [UInt8]? {
            guard offset < size, count > 0 else { return [] }
            return try? file.bytes(in: offset..<min(size, offset + UInt64(count)))
        }
    }

    private static func made(
        _ size: PreviewSize, _ sources: [PreviewSource], _ decoder: PreviewDecoder
    ) throws(IngestError) -> [UInt8] {
        for source in sources {
            guard let file = opened(source), let found = MediaReader.previews(Bytes(file: file)) else { continue }
            return try picture(size, file, found, decoder)
        }
        throw IngestError(
            .notFound, "No copy of this file is on a disk of this machine now.",
            advice: "Insert its card, or connect the disk where its copy is.")
    }

    private static func opened(_ source: PreviewSource) -> RootedFile? {
        guard source.root.hasPrefix("/"), let file = try? RootedFile(source.path, below: source.root),
            file.facts.size == source.size
        else { return nil }
        return source.modified.map { $0 == file.facts.modified } ?? true ? file : nil
    }

    /// Of the best place that can be decoded; a damaged one where no other of about its size can.
    private static func picture(
        _ size: PreviewSize, _ file: RootedFile, _ found: PreviewPlaces, _ decoder: PreviewDecoder
    ) throws(IngestError) -> [UInt8] {
        let enough = found.places.filter { $0.longEdge >= size.enough }
        let less = found.places.filter { $0.longEdge < size.enough }
        var damaged: (jpeg: [UInt8], edge: Int)?
        var failure = IngestError(.corruptData, "This file holds no picture that can be shown.")
        for place in (enough + less.reversed()).prefix(4) where place.longEdge * 2 > damaged?.edge ?? 0 {
            var request = PreviewRequest(length: Int(place.length), longEdge: size.longEdge, quality: size.quality)
            let orientation = place.coding == .heif ? 1 : found.orientation
            if size.isTurned { request.orientation = orientation }
            // Only thumbnails are filled up with bars.
            if place.kind == .thumbnail { (request.width, request.height) = (found.width, found.height) }
            do throws(IngestError) {
                let (reply, made) = try decoder.make(request) { (offset, count) throws(IngestError) in
                    let start = place.offset + UInt64(offset)
                    return try file.bytes(in: start..<(start + UInt64(count)))
                }
                let jpeg = size.isTurned ? made : OrientationMark.put(orientation, into: made)
                if reply.outcome == .done { return jpeg }
                if reply.outcome == .damaged { damaged = damaged ?? (jpeg, place.longEdge) }
                if reply.outcome == .tooLarge { failure.message = "The picture in this file is too large to be shown." }
            } catch {
                if error.code != .corruptData { throw error }
                failure = error
            }
        }
        guard let damaged else { throw failure }
        return damaged.jpeg
    }
}
