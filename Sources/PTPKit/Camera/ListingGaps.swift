import FilmgateCore

/// What a camera did not tell when it was listed: nothing of it may pass for "not there".
struct ListingGaps: HandlerMemory {
    struct Gap: Sendable { var place: String, error: PTPError }
    /// Stores and folders that could not be listed, and the answers.
    var gaps: [Gap] = []
    /// Second askings that are still worth it: one refusal may be a slip, a hundred are the camera's will.
    var patience = 6
    /// What became of its stores; nil where none were asked for.
    var cards: CardCount?

    /// The first of them, and how many there are; or that there was nothing to list.
    func failure(_ camera: String, slot: Int) -> IngestError? {
        guard let first = gaps.first else { return cards?.failure(camera, slot: slot) }
        var error = IngestError(first.error, camera: camera)
        let others = gaps.count > 1 ? " \(gaps.count - 1) more could not be listed either." : ""
        error.message = "\(camera): \(first.place) could not be listed. \(first.error.description)\(others)"
        error.advice = "What is there was not seen: try again before you format the card."
        return error
    }
}

extension StandardListing {
    /// Stores that hold a medium; asked again where one answer was of no use.
    ///
    /// Whoever asks says of each by `listed` whether anything was there.
    public static func storages(_ camera: isolated PTPCamera) throws(PTPError) -> [StorageID] {
        camera[ListingGaps.self].cards = CardCount()
        do throws(PTPError) { return try insisting(camera) { camera throws(PTPError) in try camera.storages() } } catch
        {
            // Some say so in place of an empty list.
            if error.refusal == .storeNotAvailable, camera.failure == nil { return [] }
            throw error
        }
    }

    /// Describes an object; one that the camera does not describe, also when it is asked again, has its handle for a
    /// name and says why.
    ///
    /// Nil for an object that vanished since the listing.
    public static func info(_ handle: ObjectHandle, _ camera: isolated PTPCamera) throws(PTPError) -> ObjectInfo? {
        do throws(PTPError) {
            return try insisting(camera) { camera throws(PTPError) in try camera.objectInfo(handle) }
        } catch {
            if error.refusal == .invalidObjectHandle {
                camera[ListingGaps.self].cards?.vanished += 1
                return nil
            }
            guard mayGoOn(after: error, camera) else { throw error }
            var info = ObjectInfo()
            info.name = "object-0x\(handle)"
            info.undescribed =
                "The camera would not describe object 0x\(handle), which may be a folder with files. \(error.description)"
            return info
        }
    }

    /// The handles below `parent`; none, and a note of it, where the camera does not tell them.
    static func handles(
        in storage: StorageID, below parent: ObjectHandle, _ place: String, _ camera: isolated PTPCamera
    ) throws(PTPError) -> [ObjectHandle] {
        do throws(PTPError) {
            return try insisting(camera) { camera throws(PTPError) in try camera.handles(in: storage, below: parent) }
        } catch {
            // A folder that was removed, or its whole card.
            if error.refusal == .invalidObjectHandle, parent.isReal {
                camera[ListingGaps.self].cards?.vanished += 1
                return []
            }
            guard mayGoOn(after: error, camera) else { throw error }
            miss(place, error, camera)
            return []
        }
    }

    /// Remembers that what lies at `place` is not in the listing.
    public static func miss(_ place: String, _ error: PTPError, _ camera: isolated PTPCamera) {
        camera[ListingGaps.self].gaps.append(.init(place: place, error: error))
    }

    /// Asks again, after a moment, where an answer was of no use.
    private static func insisting<R>(
        _ camera: isolated PTPCamera, _ body: (isolated PTPCamera) throws(PTPError) -> R
    ) throws(PTPError) -> R {
        for pause in [Duration.milliseconds(50), .milliseconds(250)] {
            do throws(PTPError) { return try body(camera) } catch {
                guard mayGoOn(after: error, camera), !isSettled(error), camera[ListingGaps.self].patience > 0 else {
                    throw error
                }
                camera[ListingGaps.self].patience -= 1
                try camera.rest(pause)
            }
        }
        return try body(camera)
    }

    /// An answer that will not change.
    private static func isSettled(_ error: PTPError) -> Bool {
        switch error.refusal {
        case ResponseCode.invalidObjectHandle, ResponseCode.invalidParent, ResponseCode.invalidStorageID,
            ResponseCode.storeNotAvailable,
            ResponseCode.operationNotSupported, ResponseCode.parameterNotSupported:
            true
        default: false
        }
    }

    /// This answer is of no use, and others may be; a camera that is away, or busy for longer than our patience, is
    /// listed another time.
    public static func mayGoOn(after error: PTPError, _ camera: isolated PTPCamera) -> Bool {
        switch error {
        case .refused(let code, _): camera.failure == nil && !error.losesSession && !camera.quirks.busy.contains(code)
        case .length, .truncated, .malformed, .unsupported: camera.failure == nil
        default: false
        }
    }
}
