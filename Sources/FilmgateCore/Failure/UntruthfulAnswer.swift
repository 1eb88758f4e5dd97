/// The `cause` of an error of a target that says yes to what nobody can have, such as random bytes or a random name: no
/// answer of it counts.
///
/// What waits there is held, and whoever asked for its word is told who it was.
public struct UntruthfulAnswer: Error, Sendable {
    public init() {}
}
