/// The words of a command are sound, but what they name is not there or is not meant clearly: told without the verb's
/// usage, which is right.
///
/// Ends with 2, as mistakes in the words do.
struct Refusal: Error {
    var message: String
    init(_ message: String) { self.message = message }
}
