/// A word of a command that somebody copies into a shell.
public enum ShellWord {
    /// `text` as one word of a POSIX shell, whatever it holds (Shell Command Language, section 2.2.2).
    public static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
