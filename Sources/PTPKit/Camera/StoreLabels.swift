import FilmgateCore

/// What the camera's stores are called, each asked for once: a card with another label is another card.
struct StoreLabels: HandlerMemory {
    var marks: [StorageID: MediumMark] = [:]
    /// Why a store could not be asked.
    var failure: PTPError?
}

extension PTPCamera {
    /// The same object, with what tells its card and its body from others.
    package func marked(_ object: CameraObject) -> CameraObject {
        var object = object
        object.medium = mark(of: object.storage)
        return object
    }

    /// Throws where a store could not be asked since this was called last: what has been marked since then may bear no label although its
    /// card has one, and would pass for files of another card.
    package func confirmLabels() throws(PTPError) {
        if let failure { throw failure }
        guard let failure = self[StoreLabels.self].failure else { return }
        self[StoreLabels.self].failure = nil
        throw failure
    }

    /// A store that refuses to tell its labels, or tells what nobody understands, has none; one that gave no answer has not said so.
    private func mark(of storage: StorageID) -> MediumMark {
        if let mark = self[StoreLabels.self].marks[storage] { return mark }
        var labels: [String] = []
        if storage.holdsMedium, info.offers(.getStorageInfo) {
            do throws(PTPError) {
                let told = try storageInfo(storage)
                labels = [told.volume, told.label]
            } catch {
                if failure != nil || error.losesSession || error.refusal == .deviceBusy {
                    self[StoreLabels.self].failure = error
                    return MediumMark(labels: [], guid: guid)
                }
            }
        }
        let mark = MediumMark(labels: labels, guid: guid)
        self[StoreLabels.self].marks[storage] = mark
        return mark
    }
}
