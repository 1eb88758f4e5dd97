import Testing

/// Walks ISO boxes and fails unless their sizes fill the space exactly.
enum BoxCheck {
    struct Box { var type: String, body: ArraySlice<UInt8> }

    static func top(_ bytes: [UInt8]) throws -> [Box] { try boxes(in: bytes[...]) }

    static func boxes(in bytes: ArraySlice<UInt8>) throws -> [Box] {
        var rest = bytes, result: [Box] = []
        while !rest.isEmpty {
            try #require(rest.count >= 8)
            let size = number(rest, 4)
            try #require(size >= 8 && size <= rest.count)
            let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
            result.append(Box(type: type, body: rest.dropFirst(8).prefix(size - 8)))
            rest = rest.dropFirst(size)
        }
        return result
    }

    /// The box at the end of `path`, each the child of the one before.
    static func find(_ path: [String], in bytes: ArraySlice<UInt8>) throws -> Box {
        var box = Box(type: "", body: bytes)
        for type in path {
            let skip = box.type == "meta" && box.body.dropFirst(4).prefix(4) != ArraySlice("hdlr".utf8) ? 4 : 0
            box = try #require(try boxes(in: box.body.dropFirst(skip)).first { $0.type == type })
        }
        return box
    }

    static func number(_ bytes: ArraySlice<UInt8>, _ width: Int) -> Int {
        bytes.prefix(width).reduce(0) { $0 << 8 | Int($1) }
    }
}
