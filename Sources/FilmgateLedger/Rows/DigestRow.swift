import FilmgateCore

/// The columns of `content` that hold digests beside the SHA-256, which is part of its key.
enum DigestRow {
    static let names = ["sha1", "md5", "xxh128"]

    static func bind(_ digests: Digests?, to query: inout Query) {
        for algorithm in [DigestAlgorithm.sha1, .md5, .xxh128] { query.bind(digests?.others[algorithm]) }
    }

    static func read(_ query: inout Query, of content: ContentKey) -> Digests {
        var digests = Digests(sha256: content.sha256)
        for algorithm in [DigestAlgorithm.sha1, .md5, .xxh128] { digests.others[algorithm] = query.textOrNil() }
        return digests
    }
}
