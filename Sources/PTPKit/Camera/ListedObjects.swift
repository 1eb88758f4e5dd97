/// What a listing brings in: each object is looked at as it comes, and only what is wanted is kept.
///
/// A card of ten thousand known files is listed again whenever its camera comes back; held all at once they would take
/// megabytes. Kept in any case are the last few objects and the empty ones: they may just be written.
public struct ListedObjects {
    private let wants: (CameraObject) -> Bool
    private var kept: [CameraObject] = []
    /// The last few, and where among them the oldest stands.
    private var latest: [CameraObject] = [], oldest = 0
    /// How many objects at the end of a listing may not be whole.
    static let unsure = 4

    /// `wants` is asked once for each object, except the last few and the empty ones.
    public init(_ wants: @escaping (CameraObject) -> Bool = { _ in true }) { self.wants = wants }

    /// In the order in which they came.
    public var objects: [CameraObject] { kept + latest[oldest...] + latest[..<oldest] }

    public mutating func add(_ object: CameraObject) {
        guard latest.count == Self.unsure else { return latest.append(object) }
        if latest[oldest].size == 0 || wants(latest[oldest]) { kept.append(latest[oldest]) }
        latest[oldest] = object
        oldest = (oldest + 1) % Self.unsure
    }
}
