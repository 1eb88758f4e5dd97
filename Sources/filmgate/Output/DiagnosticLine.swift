import FilmgateCore
import FilmgateEngine

/// A mistake in a pipeline file, with the line that it stands in.
enum DiagnosticLine {
    static func json(_ diagnostic: Diagnostic) -> String {
        let error = diagnostic.error, placed = error.mark.line > 0
        var line = JSONWriter()
        line.add("type", "diagnostic")
        line.add("severity", diagnostic.severity.rawValue)
        line.add("file", error.mark.file)
        line.add("line", placed ? error.mark.line : nil)
        line.add("column", placed ? error.mark.column : nil)
        line.add("code", error.code)
        line.add("message", error.message)
        line.add("hint", error.hint)
        return line.finished
    }

    static func human(_ diagnostic: Diagnostic, _ loaded: LoadedPipeline) -> String {
        DiagnosticPrinter(texts: loaded.texts).text(diagnostic)
    }
}
