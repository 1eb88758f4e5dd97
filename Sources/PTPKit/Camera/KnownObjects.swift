import FilmgateCore
import Synchronization

/// What is known of a camera's files: by which handle each is found, and which the engine was told about.
///
/// The engine knows a file by its path and asks for it by that. The handle stays here, because it means something
/// within one connection and one card only. What was told is remembered across connections.
final class KnownObjects: Sendable {
    struct State {
        /// What is still to be read or to reach its targets, for as long as the connection lasts.
        var current = ObjectPlaces()
        /// The same of earlier connections, and of cards before one was changed: these handles may be worth a question.
        var earlier = ObjectPlaces()
        /// Frames in the body's memory (`isHeld`) that have their ending; a look that began before may still show them.
        var over: Set<ObjectHandle> = []
        /// What the engine has been told about, across connections.
        var told = ReportedFiles()
        /// Counts the connections, and the cards that were changed: within one, a handle is one object.
        var visit: UInt32 = 0
    }
    let state = Mutex(State())
    private let maker: EntryMaker

    init(_ maker: EntryMaker) { self.maker = maker }

    /// Another connection begins: no handle of the last one means anything by itself.
    func beginConnection() {
        state.withLock { state in
            state.earlier.merge(state.current)
            state.current = ObjectPlaces()
            state.over = []
            state.visit += 1
        }
    }

    /// Handles may name other objects from now on, but for frames that the body holds in its memory.
    func changedCard() {
        state.withLock { state in
            state.earlier.merge(state.current.takeThoseOnCards())
            state.visit += 1
        }
    }

    /// The engine is told about these.
    func remember(_ objects: [CameraObject]) {
        state.withLock { state in
            for object in objects {
                let path = maker.volumePath(object)
                state.current[path] = object
                if !object.isUnfinished { state.told.insert(path, maker.facts(object, visit: state.visit)) }
            }
        }
    }

    /// True for what the engine has been told about.
    func contains(_ object: CameraObject) -> Bool {
        let path = maker.volumePath(object)
        return state.withLock { state in
            if object.isHeld, state.over.contains(object.handle) { return true }
            guard state.told.contains(path, maker.facts(object, visit: state.visit)) else { return false }
            // Shown again, perhaps by another handle.
            if object.isHeld || state.earlier.holds(path) {
                state.earlier[path] = nil
                state.current[path] = object
            }
            return true
        }
    }

    /// The file as this connection knows it; nil where it does not.
    func object(_ origin: Origin) -> CameraObject? {
        state.withLock { $0.current[origin.volumePath] }.flatMap { maker.origin($0).id == origin.id ? $0 : nil }
    }

    /// As an earlier connection knew it.
    func earlier(_ origin: Origin) -> CameraObject? { state.withLock { $0.earlier[origin.volumePath] } }

    func place(_ object: CameraObject) { state.withLock { $0.current[maker.volumePath(object)] = object } }

    /// True for what an earlier connection still had to read.
    func isMissed(_ object: CameraObject) -> Bool {
        let path = maker.volumePath(object)
        return state.withLock { $0.earlier.holds(path) }
    }

    /// Its place on the camera is of no use any more; a card of ten thousand frames that were taken costs a few bytes
    /// for each.
    ///
    /// Returns the object where the body holds it in its memory: it is over, and makes room for the next one.
    func settle(_ origin: Origin) -> CameraObject? {
        state.withLock { state in
            state.earlier[origin.volumePath] = nil
            guard origin.volume.isSpelled(as: maker.volume) else { return nil }
            guard let object = state.current.settle(origin) else { return nil }
            state.over.insert(object.handle)
            return object
        }
    }

    /// What looks the same from now on is told about.
    func forget(_ origin: Origin) { state.withLock { $0.told.remove(origin.volumePath) } }
}
