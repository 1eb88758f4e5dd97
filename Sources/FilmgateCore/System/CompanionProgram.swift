import Glibc

/// Programs that are installed with this one, each around a library that may crash.
package enum CompanionProgram {
    /// Where the environment's `variable` says, beside this program, or below the same prefix; nil when it is nowhere.
    package static func path(of name: String, variable: String) -> String? {
        var places = [getenv(variable).map { String(cString: $0) }].compactMap(\.self)
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        if count > 0 {
            let program = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let folder = "/" + program.split(separator: "/").dropLast().joined(separator: "/")
            places += ["\(folder)/\(name)", "\(folder)/../libexec/filmgate/\(name)"]
        }
        return places.first { access($0, X_OK) == 0 }
    }
}
