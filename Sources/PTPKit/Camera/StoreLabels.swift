import FilmgateCore

/// What the camera's stores are called, each asked for once: a card with another label is another card.
struct StoreLabels: HandlerMemory {
    var marks: [StorageID: MediumMark] = [:]
}

extension PTPCamera {
    /// The same object, with what tells its card and its body from others.
    package func marked(_ object: CameraObject) -> CameraObject {
        var object = object
        object.medium = mark(of: object.storage)
        return object
    }

    /// A store that does not tell its labels has none.
    private func mark(of storage: StorageID) -> MediumMark {
        if let mark = self[StoreLabels.self].marks[storage] { return mark }
        var labels: [String] = []
        if storage.holdsMedium, info.offers(.getStorageInfo), let told = try? storageInfo(storage) { labels = [told.volume, told.label] }
        let mark = MediumMark(labels: labels, guid: guid)
        if failure == nil { self[StoreLabels.self].marks[storage] = mark }
        return mark
    }
}
