package import FilmgateCore
import MediaKit

/// Whether a file holds all that its own structure promises, as far as bounded reads can tell.
package enum Wholeness {
    /// What is missing, in a sentence; nil when the file is whole, or when its format does not say.
    ///
    /// A file of a medium's name that holds nothing, or only zeros where its head or its picture's data should be, is
    /// one that is still being made. May block.
    package static func gap(path: String, name: String) throws(IngestError) -> String? {
        let reading = try MediaReader.read(path: path, name: name, unwritten: true, facts: false)
        if case .truncated(let what) = reading.completeness { return what }
        guard reading.format == nil, !MediaKind(fileName: name).follows else { return nil }
        let head = try FileHead.read(path)
        if head.isEmpty { return "The file is empty." }
        return head.allSatisfy { $0 == 0 } ? "Its first bytes are zeros." : nil
    }

    /// True where the format has an end and the file reaches it: whoever adds to such a file has another one.
    ///
    /// May block.
    package static func hasEnd(path: String, name: String) -> Bool {
        guard let reading = try? MediaReader.read(path: path, name: name, facts: false) else { return false }
        return reading.completeness == .complete
    }
}
