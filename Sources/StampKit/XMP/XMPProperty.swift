/// The properties that are stamped, and how RDF holds each.
enum XMPProperty {
    enum Shape { case text, list(String), languages }

    static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    static let meta = "adobe:ns:meta/"
    static let dublin = "http://purl.org/dc/elements/1.1/"
    static let rights = "http://ns.adobe.com/xap/1.0/rights/"
    static let extended = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
    static let photoshop = "http://ns.adobe.com/photoshop/1.0/"
    static let note = "http://ns.adobe.com/xmp/note/"
    static let basic = "http://ns.adobe.com/xap/1.0/"
    static let mechanic = "http://ns.camerabits.com/photomechanic/1.0/"
    static let digikam = "http://www.digikam.org/ns/1.0/"
    static let xml = "http://www.w3.org/XML/1998/namespace"

    static let creator = XMLName(dublin, "creator"), copyright = XMLName(dublin, "rights")
    static let caption = XMLName(dublin, "description"), keywords = XMLName(dublin, "subject")
    static let marked = XMLName(rights, "Marked"), event = XMLName(extended, "Event")
    static let created = XMLName(photoshop, "DateCreated"), hasExtended = XMLName(note, "HasExtendedXMP")

    static let rating = XMLName(basic, "Rating"), label = XMLName(basic, "Label")
    static let tagged = XMLName(mechanic, "Tagged"), colorClass = XMLName(mechanic, "ColorClass")
    static let prefs = XMLName(mechanic, "Prefs")
    static let pickLabel = XMLName(digikam, "PickLabel"), colorLabel = XMLName(digikam, "ColorLabel")
    static let marks = [rating, label, tagged, colorClass, prefs, pickLabel, colorLabel]

    /// The prefix that everybody uses.
    static func prefix(_ name: XMLName) -> String {
        switch name.space {
        case rdf: "rdf"
        case dublin: "dc"
        case rights: "xmpRights"
        case extended: "Iptc4xmpExt"
        case photoshop: "photoshop"
        case note: "xmpNote"
        case basic: "xmp"
        case mechanic: "photomechanic"
        case digikam: "digiKam"
        default: "x"
        }
    }

    static func shape(_ name: XMLName) -> Shape {
        switch name {
        case creator: .list("Seq")
        case keywords: .list("Bag")
        case copyright, caption, event: .languages
        default: .text
        }
    }
}
