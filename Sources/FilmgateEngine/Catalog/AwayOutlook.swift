/// What becomes of a shared target's deliveries while the catalogue is away.
public struct AwayOutlook: Sendable, Hashable {
    /// Whether they go on, by what the target can answer for.
    public enum Way: Sendable, Hashable {
        /// They go on: the target is asked by digest before each; the same bytes twice do no harm there.
        case asked, harmless
        /// They are held until the catalogue answers, or a person sends them.
        case held
    }
    public var target: String, way: Way
    /// Deliveries that go on, or that wait there now.
    public var waiting: Int64

    public init(target: String, way: Way, waiting: Int64) {
        (self.target, self.way, self.waiting) = (target, way, waiting)
    }

    /// In words, for a list of them.
    public var text: String {
        let one = waiting == 1 ? "delivery" : "deliveries"
        let subject =
            waiting == 0 ? "\(target) goes on" : "\(waiting) \(one) to \(target) \(waiting == 1 ? "goes" : "go") on"
        return switch way {
        case .asked: "\(subject), asked by digest"
        case .harmless: "\(subject), twice without harm"
        case .held: "\(target) holds \(waiting == 0 ? "what comes" : String(waiting))"
        }
    }
}
