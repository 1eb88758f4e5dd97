public import FilmgateCore
import Synchronization

extension CameraSession: RangeReadingSession {
    /// Asks the camera for a part of a file; nil where its make gives whole files only.
    public func bytes(of origin: Origin, in range: Range<UInt64>) async throws(IngestError) -> [UInt8]? {
        guard range.upperBound <= origin.size, range.count <= 1 << 20 else { return nil }
        let handler = connection.handler
        let bytes = try await asIngest { () async throws(PTPError) -> [UInt8]? in
            try await connection.persistently(tries: 2) { camera throws(PTPError) -> [UInt8]? in
                let object = try self.find(origin, camera)
                guard handler.givesParts(object, camera) else { return nil }
                self.note(comparing: origin, over: camera, from: range.lowerBound)
                return try self.part(of: object, range, camera)
            }
        }
        return bytes?.count == range.count ? bytes : nil
    }

    /// Which connection the proof of a file's beginning is of: one that spans two is none.
    private func note(comparing origin: Origin, over connection: PTPCamera, from start: UInt64) {
        state.withLock { state in
            if start == 0 { return state.compared[origin.volumePath] = connection }
            if let first = state.compared[origin.volumePath], first !== connection {
                state.compared[origin.volumePath] = .some(nil)
            }
        }
    }

    private func part(
        of object: CameraObject, _ range: Range<UInt64>, _ camera: isolated PTPCamera
    ) throws(PTPError) -> [UInt8] {
        let sink = PartSink()
        try connection.handler.fetch(object, range, camera, into: sink)
        return sink.bytes
    }

    /// How this connection goes on with the object, once what came over an earlier one is proved to be of it.
    func resumption(
        of object: CameraObject, _ counter: CountingSink, _ camera: isolated PTPCamera
    ) throws(PTPError) -> CountingSink.Resumption {
        let isWhole = camera.quirks.partial == .none || !connection.handler.givesParts(object, camera)
        let reached: PTPCamera = camera, way: CountingSink.Resumption
        do throws(IngestError) { way = try counter.resumption(over: reached, wholly: isWhole) } catch {
            throw .sink(error)
        }
        for piece in way.pieces where try part(of: object, piece.range, camera) != piece.bytes {
            throw .sink(OtherBytes.failure(object.name))
        }
        // Where all of it is read again, the sink has the last word.
        counter.isProved(over: reached)
        return way
    }

    /// An object that is longer than the camera said would be delivered cut, as if it were whole: a byte is asked for
    /// behind its end.
    ///
    /// A JPEG that ends as JPEGs do is whole. A camera that does not like the question is not asked again.
    func checkEnd(of origin: Origin, _ counter: CountingSink) async throws(PTPError) {
        if MediaKind(fileName: origin.name) == .jpeg, counter.end == [0xFF, 0xD9] { return }
        let camera = connection.camera
        let more = await connection.waiting {
            await Result { () async throws(PTPError) in
                try await camera.run { camera throws(PTPError) in try self.holdsMore(origin, camera) }
            }
        }
        guard case .success(true) = more else { return }
        throw .sink(
            IngestError(
                .corruptData, "\(origin.name): the camera said \(origin.size) bytes and holds more.",
                advice: "Copy it with a card reader; what came of it is not whole."))
    }

    private func holdsMore(_ origin: Origin, _ camera: isolated PTPCamera) throws(PTPError) -> Bool {
        guard state.withLock(\.asksBehindEnds), camera.failure == nil else { return false }
        let object = try find(origin, camera)
        guard !object.isHeld, connection.handler.givesParts(object, camera) else { return false }
        do throws(PTPError) { return try connection.handler.holdsMore(object, camera) } catch {
            // A connection may break at any moment; one that breaks at the question again would break at every file.
            state.withLock { state in
                state.brokenEnds += 1
                switch error {
                case .gone, .timedOut: state.asksBehindEnds = state.brokenEnds < 2
                default: state.asksBehindEnds = false
                }
            }
            throw error
        }
    }
}

/// Keeps the few bytes that are asked for.
private final class PartSink: ByteSink {
    private let kept = Mutex<[UInt8]>([])

    var bytes: [UInt8] { kept.withLock { $0 } }

    func write(_ bytes: RawSpan) throws(IngestError) {
        try kept.withLock { kept throws(IngestError) in
            guard kept.count + bytes.byteCount <= 1 << 20 else {
                throw IngestError(.corruptData, "The camera sends more than it was asked for.")
            }
            bytes.withUnsafeBytes { unsafe kept.append(contentsOf: $0) }
        }
    }
}
