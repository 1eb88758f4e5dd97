/// The `cause` of an error of `find`: the target has the bytes, and has not said yet what became of them.
///
/// The delivery waits beside the others and is asked for again; nothing is sent, and the target is not to blame.
public struct AnswerOutstanding: Error, Sendable {
    /// When it is asked again.
    public var again: Duration
    public init(again: Duration) { self.again = again }
}
