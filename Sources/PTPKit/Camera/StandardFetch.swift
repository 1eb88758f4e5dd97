public import FilmgateCore

/// Reads objects by the standard's operations: in parts where the camera offers it, else whole.
public enum StandardFetch {
    public static func fetch(
        _ object: CameraObject, _ range: Range<UInt64>, _ camera: isolated PTPCamera, into sink: any ByteSink
    ) throws(PTPError) {
        guard range.upperBound <= object.size else { throw .length(expected: object.size, got: range.upperBound) }
        guard camera.quirks.partial == .standard, let part = part(for: object.size, camera.info) else {
            return try whole(object, from: range.lowerBound, camera, into: sink)
        }
        try chunks(object, range, camera, part, into: sink)
    }

    /// True when the camera can be asked for parts of the object.
    public static func givesParts(_ object: CameraObject, _ camera: isolated PTPCamera) -> Bool {
        camera.quirks.partial == .standard && part(for: object.size, camera.info) != nil
    }

    /// True when the object has a byte behind the size that the camera told.
    static func holdsMore(_ object: CameraObject, _ camera: isolated PTPCamera) throws(PTPError) -> Bool {
        guard camera.quirks.partial == .standard, let part = part(for: object.size, camera.info) else { return false }
        return try holdsMore(object, camera, part, asking: 1)
    }

    /// The same with a make's own way to ask for parts, `count` bytes of them at a time.
    public static func holdsMore(
        _ object: CameraObject, _ camera: isolated PTPCamera, _ part: Part, asking count: UInt32
    ) throws(PTPError) -> Bool {
        var got = 0
        _ = try camera.stream(part(object.handle, object.size, count), expecting: UInt64(count)) {
            bytes throws(PTPError) in
            got += bytes.byteCount
        }
        return got > 0
    }

    /// How one part is asked for: handle, offset, most bytes.
    public typealias Part = @Sendable (ObjectHandle, UInt64, UInt32) -> Operation

    /// The 32-bit operation where it reaches, else the 64-bit one; nil when neither can.
    private static func part(for size: UInt64, _ info: DeviceInfo) -> Part? {
        if info.offers(.getPartialObject), size < UInt64(UInt32.max) {
            return { Operation(.getPartialObject, [$0.rawValue, UInt32(truncatingIfNeeded: $1), $2]) }
        }
        if info.offers(.getPartialObject64) {
            return {
                Operation(
                    .getPartialObject64,
                    [$0.rawValue, UInt32(truncatingIfNeeded: $1), UInt32(truncatingIfNeeded: $1 >> 32), $2])
            }
        }
        return nil
    }

    /// Part by part, so that stopping, events and keep-alive never wait for more than one of them.
    public static func chunks(
        _ object: CameraObject, _ range: Range<UInt64>, _ camera: isolated PTPCamera, _ part: Part,
        into sink: any ByteSink
    ) throws(PTPError) {
        var position = range.lowerBound
        var empty = 0
        while position < range.upperBound {
            let wanted = UInt32(min(range.upperBound - position, UInt64(max(4096, camera.quirks.chunk))))
            let got = try camera.stream(
                part(object.handle, position, wanted), expecting: UInt64(wanted), exactly: nil, into: sink)
            position += got
            empty = got == 0 ? empty + 1 : 0
            guard empty < 2 else { throw .length(expected: object.size, got: position) }
        }
    }

    /// In one request.
    ///
    /// What lies before `offset` is read and dropped.
    public static func whole(
        _ object: CameraObject, from offset: UInt64, _ camera: isolated PTPCamera, into sink: any ByteSink
    ) throws(PTPError) {
        let request = Operation(.getObject, [object.handle.rawValue])
        guard offset > 0 else {
            _ = try camera.stream(request, expecting: object.size, exactly: object.size, into: sink)
            return
        }
        let rest = TailSink(sink, after: offset)
        _ = try camera.stream(request, expecting: object.size, exactly: object.size, into: rest)
    }
}

extension PTPCamera {
    /// Streams an operation's data into `sink`: never more than `bytes`, and with `exactly` no other number.
    public func stream(
        _ operation: Operation, expecting bytes: UInt64, exactly size: UInt64?, into sink: any ByteSink
    ) throws(PTPError) -> UInt64 {
        var count: UInt64 = 0
        let received = try stream(operation, expecting: bytes) { part throws(PTPError) in
            count += UInt64(part.byteCount)
            guard count <= bytes else {
                throw .sink(
                    IngestError(.corruptData, "The camera sends more than the \(bytes) bytes it was asked for."))
            }
            do throws(IngestError) { try sink.write(part) } catch { throw .sink(error) }
        }.received
        if let size, received != size { throw .length(expected: size, got: received) }
        return received
    }
}
