import FilmgateCore
import Glibc
import PTPKit

extension VirtualFile {
    /// The regular files below `directory` with the folder each lies in (relative, `/` between parts), sorted by path.
    ///
    /// Links are not followed. What a computer leaves on a card is no file that a body shows.
    public static func tree(at directory: String) -> [(folder: String, file: VirtualFile)] {
        var found: [(folder: String, file: VirtualFile)] = [], long: [String] = []
        collect(directory, "", depth: 0, &found, &long)
        return found
    }

    /// UTF-16 units that a name may have in PTP: its strings count up to 255, with the end.
    public static let longestName = 254

    /// Files and folders below `directory` (relative) whose names are longer, so that no body could show them: `tree`
    /// leaves them out.
    public static func tooLong(at directory: String) -> [String] {
        var found: [(folder: String, file: VirtualFile)] = [], long: [String] = []
        collect(directory, "", depth: 0, &found, &long)
        return long
    }

    /// The files directly below `directory`, one array for each shot (files with one stem), in name order.
    public static func shots(in directory: String) -> [[VirtualFile]] {
        var shots: [[VirtualFile]] = []
        var last: String?
        for (folder, file) in tree(at: directory) {
            let key = folder + "/" + FileName(file.name).stem.lowercased()
            if key == last { shots[shots.count - 1].append(file) } else { shots.append([file]) }
            last = key
        }
        return shots
    }

    private static let computers: Set<String> = [
        "thumbs.db", "ehthumbs.db", "desktop.ini", "system volume information", "$recycle.bin",
    ]

    private static func collect(
        _ root: String, _ folder: String, depth: Int, _ found: inout [(folder: String, file: VirtualFile)],
        _ long: inout [String]
    ) {
        let path = folder.isEmpty ? root : root + "/" + folder
        guard depth < 16, let directory = opendir(path) else { return }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix("."), !computers.contains(name.lowercased()) { names.append(name) }
        }
        for name in names.sorted() {
            guard name.utf16.count <= longestName else {
                long.append(folder.isEmpty ? name : folder + "/" + name)
                continue
            }
            var status = stat()
            guard lstat(path + "/" + name, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                collect(root, folder.isEmpty ? name : folder + "/" + name, depth: depth + 1, &found, &long)
            } else if status.st_mode & S_IFMT == S_IFREG {
                // The field's name is visible or not as the compiler orders the files: seconds are its first word.
                let seconds = withUnsafeBytes(of: status.st_mtim) { $0.load(as: Int64.self) }
                let date = CivilTime(unixSeconds: seconds, offsetMinutes: nil).map(PTPDate.format) ?? ""
                let content = Content.file(path: path + "/" + name, size: UInt64(max(0, status.st_size)))
                var file = VirtualFile(name, content, date: date)
                if folder.hasPrefix("DCIM/") { file.folder = folder }
                found.append((folder, file))
            }
        }
    }
}

extension VirtualCard {
    /// Puts every file below `directory` on the card.
    ///
    /// Without a DCIM folder there, everything goes into one.
    public mutating func load(_ directory: String, folder: String = "100FILMG") {
        for (path, file) in VirtualFile.tree(at: directory) {
            let whole =
                path == "DCIM" || path.hasPrefix("DCIM/")
                ? path : path.isEmpty ? "DCIM/\(folder)" : "DCIM/\(folder)/\(path)"
            add(file, in: whole)
        }
    }
}
