import Dispatch
import FilmgateCore

/// What limits are counted on: no task's thread, so that they hold also when every task is held up.
///
/// Nothing that runs on it may wait.
enum CameraClock {
    private static let queue = DispatchQueue(label: "filmgate.cameras.clock")

    static func after(_ time: Duration, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + max(0, time.inSeconds), execute: body)
    }
}
