import FilmgateCore
import Glibc

extension PTPCamera {
    /// Opens a session and reads what the camera says about itself.
    ///
    /// A session that somebody left open is closed first.
    public func open() throws(PTPError) {
        try openSession()
        if let introduction = link.introduction { info = introduction } else { try readInfo() }
    }

    /// Reads DeviceInfo again; bodies change it when their mode changes.
    public func readInfo() throws(PTPError) {
        let data = try read(.getDeviceInfo)
        info = try DeviceInfo(data.span.bytes)
    }

    private func openSession() throws(PTPError) {
        restartCounting()
        var resets = 0
        for attempt in UInt32(1)...10 {
            do throws(PTPError) {
                try call(.openSession, attempt)
                session = attempt
                return
            } catch {
                switch error.refusal {
                // Left open by an earlier program: its transaction ids are unknown, so begin afresh.
                case ResponseCode.sessionAlreadyOpen: try closeLeftover()
                case ResponseCode.invalidTransactionID: continue
                default:
                    guard resets < 2, case .timedOut = error, try link.reset() else { throw error }
                    resets += 1
                }
            }
        }
        throw .busy("it opens no session")
    }

    private func closeLeftover() throws(PTPError) {
        do throws(PTPError) { try call(.closeSession) } catch {
            if error.refusal == nil { throw error }
        }
    }

    /// Ends the session and the connection.
    ///
    /// Never throws: the camera may be gone. Safe to call twice.
    public func close() {
        if session != nil, failure == nil, quirks.closesSession {
            hurry()
            _ = try? call(.closeSession)
        }
        session = nil
        endConnection(.gone("the session was closed"))
    }

    /// From now on nothing is waited for for long.
    func hurry() {
        isLeaving = true
        quirks.answer = .seconds(2)
        quirks.silence = .seconds(1)
        quirks.patience = .zero
    }

    /// Waits without doing anything; ends early when the task is cancelled.
    public func rest(_ duration: Duration) throws(PTPError) {
        let end = Deadline.after(duration)
        while !end.hasPassed {
            if Task.isCancelled { throw .sink(IngestError(.cancelled, "Stopped.")) }
            let left = min(end.left, .milliseconds(50)).components
            usleep(UInt32(clamping: left.attoseconds / 1_000_000_000_000 + 1))
        }
    }

    /// Takes what the transport has to be asked for, waiting at most `limit`.
    public func pollEvents(waiting limit: Duration = .zero) throws(PTPError) { try link.pollEvents(by: .after(limit)) }
}

extension PTPCamera {
    /// Stores that hold a medium, in the camera's order, each once.
    public func storages() throws(PTPError) -> [StorageID] {
        let data = try read(.getStorageIDs)
        var cursor = ByteCursor()
        var seen: Set<StorageID> = []
        let ids = try cursor.array(of: UInt32.self, from: data.span.bytes)
        guard ids.count <= 1024 else { throw .malformed("\(ids.count) stores") }
        return ids.map { StorageID($0) }.filter { $0.holdsMedium && seen.insert($0).inserted }
    }

    public func storageInfo(_ id: StorageID) throws(PTPError) -> StorageInfo {
        let data = try read(.getStorageInfo, id.rawValue)
        return try StorageInfo(data.span.bytes)
    }

    /// Handles directly below `parent`; `.root` for the top level.
    public func handles(in storage: StorageID, below parent: ObjectHandle = .root) throws(PTPError) -> [ObjectHandle] {
        let data = try read(.getObjectHandles, storage.rawValue, 0, parent.rawValue)
        var cursor = ByteCursor()
        var seen: Set<ObjectHandle> = []
        let handles = try cursor.array(of: UInt32.self, from: data.span.bytes)
        if handles.count > StandardListing.objectLimit { throw .malformed("\(handles.count) objects in one folder") }
        return handles.map { ObjectHandle($0) }.filter { $0.isReal && seen.insert($0).inserted }
    }

    public func objectInfo(_ handle: ObjectHandle) throws(PTPError) -> ObjectInfo {
        let data = try read(.getObjectInfo, handle.rawValue)
        return try ObjectInfo(data.span.bytes)
    }

    /// One property of an object, of a type that the caller knows.
    public func property(_ code: ObjectPropertyCode, of handle: ObjectHandle, as type: DataType) throws(PTPError)
        -> PropertyValue
    {
        let data = try read(.getObjectPropValue, handle.rawValue, UInt32(code.rawValue))
        var cursor = ByteCursor()
        return try cursor.value(type, from: data.span.bytes)
    }

    /// Bytes of an object, by the 64-bit size where 32 bits do not hold it; `unknownSize` where it is not told.
    public func size(of handle: ObjectHandle, _ info: ObjectInfo) throws(PTPError) -> UInt64 {
        guard info.size == ObjectInfo.unknownSize else { return info.size }
        do throws(PTPError) { return try wideSize(of: handle) ?? info.size } catch {
            guard StandardListing.mayGoOn(after: error, self) else { throw error }
            return info.size
        }
    }

    private func wideSize(of handle: ObjectHandle) throws(PTPError) -> UInt64? {
        if let operation = quirks.sizeOperation, info.offers(operation) {
            let data = try read(operation, handle.rawValue)
            var cursor = ByteCursor()
            return try cursor.take(from: data.span.bytes)
        }
        guard info.offers(.getObjectPropValue) else { return nil }
        return try property(.objectSize, of: handle, as: .uint64).number
    }

    public func thumbnail(_ handle: ObjectHandle) throws(PTPError) -> [UInt8] {
        try read(.getThumb, handle.rawValue, limit: 4 << 20)
    }
}
