/// A file that was pushed, as listings tell of it.
extension FTPKnown {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// For MLSD and MLST (RFC 3659).
    var facts: String { "type=file;size=\(size);modify=\(stamp);" }

    /// For LIST, as `ls -l` writes it.
    func row(named name: String) -> String {
        let date = FTPDate(nanoseconds: modified), day = date.day < 10 ? " \(date.day)" : "\(date.day)"
        return "-rw-r--r-- 1 ftp ftp \(size) \(Self.months[date.month - 1]) \(day)  \(date.year) \(name)"
    }

    /// In a listing by that command.
    func line(of verb: String, named name: String) -> String {
        switch verb {
        case "NLST": name
        case "MLSD": "\(facts) \(name)"
        default: row(named: name)
        }
    }

    /// For MDTM.
    var stamp: String { FTPDate(nanoseconds: modified).stamp }
}
