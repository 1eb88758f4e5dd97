/// What a person chose, as it is kept with their account: the same on every machine where they are signed in.
public struct Preference: Sendable, Hashable {
    /// What was chosen, as text; empty: nothing.
    public var value: String
    /// When it was chosen, in milliseconds since 1970 by the clock of the machine where it was.
    public var changed: Int64

    public init(_ value: String, changed: Int64) { (self.value, self.changed) = (value, changed) }
}

/// A target whose server can keep a person's choices with their account.
///
/// What comes from there is as little trusted as any other answer.
public protocol AccountPreferences: UploadTarget {
    /// False where the options name no place for them: then nothing is asked for or sent.
    var keepsPreferences: Bool { get }
    /// What is kept for whoever is signed in, by name; empty where nothing is.
    func preferences() async throws(IngestError) -> [String: Preference]
    /// Keeps one, in place of what is kept under this name; the others stay.
    func keep(_ preference: Preference, as name: String) async throws(IngestError)
}
