import FilmgateCore
import PTPKit

/// What happens to a virtual camera, and when: `5s=burst:10`, `20s=pull-card`, `25s=insert-card`.
public struct CameraScript: Sendable {
    public enum Action: Sendable, Hashable {
        /// So many shots at once, from those that wait.
        case burst(Int)
        case pullCard, insertCard
        /// Every connection breaks; new ones are taken.
        case breakConnections
        /// Falls silent, and speaks again.
        case sleep, wake
        /// Begins to misbehave.
        case fault(Fault)
    }
    public struct Step: Sendable, Hashable {
        public var after: Duration, action: Action

        /// Nil for anything that is no moment and deed.
        public init?(text: String) {
            let halves = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard halves.count == 2, let after = Duration(text: halves[0]), let action = Self.action(halves[1]) else {
                return nil
            }
            (self.after, self.action) = (after, action)
        }

        private static func action(_ text: String) -> Action? {
            let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
            switch parts.first {
            case "burst":
                return parts.count == 1
                    ? .burst(1) : Int(parts[1]).flatMap { (1...1000).contains($0) ? .burst($0) : nil }
            case "pull-card" where parts.count == 1: return .pullCard
            case "insert-card" where parts.count == 1: return .insertCard
            case "break" where parts.count == 1: return .breakConnections
            case "sleep" where parts.count == 1: return .sleep
            case "wake" where parts.count == 1: return .wake
            default: return Fault(text: text).map(Action.fault)
            }
        }
    }
    private let steps: [Step]

    public init(_ steps: [Step]) { self.steps = steps.sorted { $0.after < $1.after } }

    /// Plays the steps from now on, taking shots from `shots` until there are none.
    public func play(_ camera: VirtualCamera, _ server: any CameraServer, shots: [[VirtualFile]]) async throws {
        let start = ContinuousClock.now
        var shots = shots[...], pulled: [VirtualCard] = []
        for step in steps {
            try await Task.sleep(for: max(.zero, start + step.after - .now))
            switch step.action {
            case .burst(let count):
                for shot in shots.prefix(count) { camera.shoot(shot) }
                shots = shots.dropFirst(count)
            case .pullCard: pulled += camera.pullCards()
            case .insertCard:
                for card in pulled { camera.insert(card) }
                pulled = []
            case .breakConnections: server.breakConnections()
            case .sleep: camera.add(Fault(.sleep))
            case .wake: camera.clearFaults()
            case .fault(let fault): camera.add(fault)
            }
        }
    }
}
