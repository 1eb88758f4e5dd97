package import FilmgateCore

/// What people said of a picture, in JSON.
package enum MarkLine {
    /// Absent words are null: nobody said them.
    package static func add(_ mark: PictureMark, to object: inout JSONWriter) {
        object.add("rating", mark.rating)
        object.add("pick", mark.pick?.rawValue)
        object.add("colour", mark.colour)
    }
}
