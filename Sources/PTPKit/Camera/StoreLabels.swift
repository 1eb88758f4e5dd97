import FilmgateCore

/// What the camera's stores are called, each asked for once: a card with another label is another card.
struct StoreLabels: HandlerMemory {
    private var media: [StorageID: MediumIdentity] = [:]
    /// Why a store could not be asked.
    private var failure: PTPError?

    init() {}

    /// What tells the card in that store from others.
    ///
    /// A store that refuses to tell its labels, or tells what nobody understands, has none; one that gave no answer has
    /// not said so.
    static func medium(of storage: StorageID, _ camera: isolated PTPCamera) -> MediumIdentity {
        if let medium = camera[StoreLabels.self].media[storage] { return medium }
        var labels: [String] = []
        if storage.holdsMedium, camera.info.offers(.getStorageInfo) {
            do throws(PTPError) {
                let told = try camera.storageInfo(storage)
                labels = [told.volume, told.label]
            } catch {
                if camera.failure != nil || error.losesSession || error.refusal == .deviceBusy {
                    camera[StoreLabels.self].failure = error
                    return MediumIdentity(labels: [], guid: camera.guid)
                }
            }
        }
        let medium = MediumIdentity(labels: labels, guid: camera.guid)
        camera[StoreLabels.self].media[storage] = medium
        return medium
    }

    /// Throws where a store could not be asked since this was called last: what has been marked since then may bear no
    /// label although its card has one, and would pass for files of another card.
    static func confirm(_ camera: isolated PTPCamera) throws(PTPError) {
        if let failure = camera.failure { throw failure }
        guard let failure = camera[StoreLabels.self].failure else { return }
        camera[StoreLabels.self].failure = nil
        throw failure
    }
}

extension PTPCamera {
    /// The same object, with what tells its card and its body from others; see `StoreLabels.confirm`.
    package func marked(_ object: CameraObject) -> CameraObject {
        var object = object
        object.medium = StoreLabels.medium(of: object.storage, self)
        return object
    }

    /// The same of many; each store is asked for once.
    package func marked(_ objects: consuming [CameraObject]) -> [CameraObject] {
        var objects = objects, last: (storage: StorageID, medium: MediumIdentity)?
        for index in objects.indices {
            let storage = objects[index].storage
            if last?.storage != storage { last = (storage, StoreLabels.medium(of: storage, self)) }
            if let last { objects[index].medium = last.medium }
        }
        return objects
    }
}
