public import FilmgateCore
import Synchronization

extension CameraSession {
    /// Asks the camera for a part of a file; nil where its make gives whole files only.
    public func bytes(of origin: Origin, in range: Range<UInt64>) async throws(IngestError) -> [UInt8]? {
        guard range.upperBound <= origin.size, range.count <= 1 << 20 else { return nil }
        let handler = handler
        let bytes = try await asIngest { () async throws(PTPError) -> [UInt8]? in
            try await persistently(tries: 2) { camera throws(PTPError) -> [UInt8]? in
                let object = try self.find(origin, camera)
                guard handler.givesParts(object, camera) else { return nil }
                let sink = PartSink()
                try handler.fetch(object, range, camera, into: sink)
                return sink.bytes
            }
        }
        return bytes?.count == range.count ? bytes : nil
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
