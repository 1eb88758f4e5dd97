/// What is kept of a delivery that was sent, and whose answer was lost: the target may have it all the same.
extension DeliveryRow {
    /// For `attempts`, as ``unwanted``, of a delivery that may have arrived before marks ended it.
    public static let unwantedThere = -5

    /// It was sent before: the target may have these bytes.
    public var mayHaveArrived: Bool { attempts > 0 || attempts == Self.unwantedThere }

    /// Nobody can look whether they are there; a folder is looked at.
    public var isDoubtful: Bool { mayHaveArrived && !target.hasPrefix("folder:") }

    /// The reason of a delivery that nobody wants any more, though it may have arrived at `target` before.
    public static func doubted(_ reason: String, at target: String) -> String {
        "\(reason); it may have arrived there before: look at \(target)"
    }
}
