import FilmgateCore
import Synchronization

extension CameraSession {
    /// Runs `body`, and again after coming back when the connection broke under it.
    ///
    /// A camera that is silent twice where it was silent before is not asked a third time: it is the question that it does not answer.
    /// `progress` says how far `body` has come.
    func persistently<R: Sendable>(
        tries: Int, progress: @Sendable () -> UInt64 = { 0 }, _ body: @Sendable (isolated PTPCamera) throws(PTPError) -> R
    ) async throws(PTPError) -> R {
        try await waiting { () async throws(PTPError) in try await trying(tries, progress, body) }
    }

    private func trying<R: Sendable>(
        _ tries: Int, _ progress: @Sendable () -> UInt64, _ body: @Sendable (isolated PTPCamera) throws(PTPError) -> R
    ) async throws(PTPError) -> R {
        var pause = Duration.milliseconds(300)
        var left = tries, wasSilentAt: UInt64?
        while true {
            let camera = camera
            do throws(PTPError) {
                defer { spoke() }
                return try await camera.run(body)
            } catch {
                left -= 1
                if case .sink = error { throw error }
                if case .timedOut = error {
                    let place = progress()
                    if wasSilentAt == place { throw error }
                    wasSilentAt = place
                }
                let isBroken = await camera.failure != nil || error.losesSession
                guard left > 0, isBroken, !isClosed, !isGivenUp, !Task.isCancelled else { throw error }
                await rest(pause)
                pause = min(pause * 3, .seconds(10))
                if isGivenUp || isClosed { throw error }
                do throws(PTPError) { try await comeBack(from: camera) } catch {
                    if left <= 1 { throw error }
                }
            }
        }
    }

    /// Connects again in place of `old`, once for all who miss it.
    ///
    /// Nothing happens when somebody else has come back meanwhile.
    func comeBack(from old: PTPCamera) async throws(PTPError) {
        let task = state.withLock { state -> Task<Result<Void, PTPError>, Never>? in
            if let returning = state.returning { return returning }
            guard state.camera === old else { return nil }
            state.returning = Task {
                let result = await Result { () async throws(PTPError) in try await self.connect(inPlaceOf: old) }
                self.state.withLock { $0.returning = nil }
                return result
            }
            return state.returning
        }
        if let task { try await answer(of: task) }
    }

    /// The old connection is given up; handles from it are forgotten.
    private func connect(inPlaceOf old: PTPCamera) async throws(PTPError) {
        await old.close()
        var failure = PTPError.gone("the session was closed")
        for connector in connectors() where !isClosed && !isGivenUp {
            do throws(PTPError) { return try await enter(connector) } catch { failure = error }
        }
        throw failure
    }

    /// Where it was; on a bus also wherever a device with its numbers is now, because plugging in again gives it another address.
    private func connectors() -> [any CameraConnector] {
        let connector = state.withLock(\.connector)
        guard let usb = connector.usb else { return [connector] }
        let others = visit.buses.flatMap { (try? $0.connectors()) ?? [] }
        return [connector] + others.filter { $0.usb == usb && $0.address != connector.address && !visit.connections.isInside($0.address) }
    }

    private func enter(_ connector: any CameraConnector) async throws(PTPError) {
        let opened = try await visit.connections.take(connector, for: place.source, home: place.address)
        do throws(PTPError) {
            let now = CameraNaming.volume(opened.info, guid: opened.camera.guid, address: connector.address)
            guard now == volume else { throw .gone("another camera is there now") }
            try await prepare(opened.camera)
        } catch {
            await opened.camera.close()
            visit.connections.left(connector.address)
            throw error
        }
        let (isLate, before) = state.withLock { state in
            let before = state.connector.address
            state.before.merge(state.objects)
            (state.camera, state.connector, state.objects, state.over) = (opened.camera, connector, ObjectPlaces(), [])
            state.connection += 1
            state.visit += 1
            return (state.isClosed || state.patience.isOver, before)
        }
        if before != connector.address { visit.connections.left(before) }
        guard isLate else { return }
        await opened.camera.leave(handler)
        visit.connections.left(connector.address)
    }
}

extension PTPCamera {
    /// The handler's farewell, then the session's.
    func leave(_ handler: any ManufacturerHandler) {
        if failure == nil {
            hurry()
            handler.release(self)
        }
        close()
    }
}
