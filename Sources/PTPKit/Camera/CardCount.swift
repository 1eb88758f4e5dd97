import FilmgateCore

/// Which of a camera's slots hold a card: none at all must not pass for a card without files.
struct CardCount: Sendable {
    /// Those with files, or at least with room for them.
    var slots: Set<UInt16> = []
    /// Files and folders that were in a listing and are gone.
    var vanished = 0

    /// Nil where there is a card; `slot` = the one that is wanted, 0 = any.
    func failure(_ camera: String, slot: Int) -> IngestError? {
        guard slot == 0 ? slots.isEmpty : !slots.contains(UInt16(clamping: slot)) else { return nil }
        let place = slot == 0 || slots.isEmpty ? "" : " in slot \(slot)"
        return IngestError(
            .notFound, "\(camera) has no card\(place), or does not show it: no files could be seen.",
            advice:
                "Put a card in, close its door and switch the camera on; a phone must be unlocked and set to transfer files."
        )
    }
}

extension StandardListing {
    /// Said of each of the `storages` once it is listed: `found` = files or folders at its top.
    public static func listed(_ storage: StorageID, found: Int, _ camera: isolated PTPCamera) throws(PTPError) {
        let isThere = found > 0 ? true : try hasRoom(storage, camera)
        if isThere { camera[ListingGaps.self].cards?.slots.insert(storage.slot) }
    }

    /// The camera refuses to list the store: an empty slot costs nothing, a card that is said to be there is missed
    /// aloud.
    static func refused(_ storage: StorageID, _ error: PTPError, _ camera: isolated PTPCamera) throws(PTPError) {
        guard try hasRoom(storage, camera) else { return }
        camera[ListingGaps.self].cards?.slots.insert(storage.slot)
        miss("card slot \(storage.slot)", error, camera)
    }

    /// Where something vanished under the listing, whether its card did.
    static func confirm(_ listed: [StorageID], _ camera: isolated PTPCamera) throws(PTPError) {
        guard let cards = camera[ListingGaps.self].cards, cards.vanished > 0 else { return }
        let now = Set((try? camera.storages()) ?? listed)
        if let failure = camera.failure { throw failure }
        for storage in listed where !now.contains(storage) {
            miss("card slot \(storage.slot)", .missing("Its card"), camera)
        }
    }

    /// False for a slot that is empty: the camera says so, or that nothing fits in there.
    private static func hasRoom(_ storage: StorageID, _ camera: isolated PTPCamera) throws(PTPError) -> Bool {
        guard camera.info.offers(.getStorageInfo) else { return true }
        do throws(PTPError) { return try camera.storageInfo(storage).capacity > 0 } catch {
            guard mayGoOn(after: error, camera) else { throw error }
            return error.refusal != .storeNotAvailable && error.refusal != .invalidStorageID
        }
    }
}
