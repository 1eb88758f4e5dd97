public import FilmgateCore

/// Whether a login's password stands up to guessing.
public enum PushPassword {
    /// What is weak about it, in a sentence; nil when nothing is.
    ///
    /// Guesses are slowed to less than one a second: ten characters that are not all digits outlast that.
    public static func weakness(of password: SecretValue) -> String? {
        let text = password.reveal()
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return "has only digits" }
        return text.count < 10 ? "is shorter than 10 characters" : nil
    }

    public static let advice = "Give the login a longer one, with letters; a body remembers it."
}
