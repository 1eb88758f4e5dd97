/// What a run tells whoever watches it.
package enum RunSignal: Sendable, Equatable {
    /// A run is there, or another one.
    case here
    /// `value`: a whole JSON object, the latest of its key; `at`: nanoseconds since 1970.
    case change(key: String, value: String, at: Int64)
    /// Changes were lost.
    case gap
    /// The run ended, or hangs.
    case gone
}

/// How long to wait before each next try: twice as long each time up to a limit, and by chance shorter, so that many do
/// not come at once.
package struct RetryPauses: Sendable {
    private let first: Double, most: Double
    private var wanted: Double

    /// Seconds.
    package init(first: Double, most: Double) { (self.first, self.most, wanted) = (first, most, first) }

    /// The last try went well.
    package mutating func reset() { wanted = first }

    /// `random`: from 0 to 1.
    package mutating func next(random: Double) -> Double {
        defer { wanted = min(most, wanted * 2) }
        return wanted * (0.5 + random / 2)
    }
}
