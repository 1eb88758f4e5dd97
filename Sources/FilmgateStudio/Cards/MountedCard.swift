/// A card, or a dump that looks like one, that is mounted now.
package struct MountedCard: Sendable, Hashable {
    package var path: String, label: String
    /// Other when another card is at the same path.
    package var visit: String
    package var isReadable: Bool

    package init(path: String, label: String, visit: String, isReadable: Bool) {
        (self.path, self.label, self.visit, self.isReadable) = (path, label, visit, isReadable)
    }

    /// Names it on the page; another card at the same path has another one.
    var id: String { AccessSecret.hexadecimal(Array(AccessSecret.digest(path + "\u{0}" + visit).prefix(8))) }
}
