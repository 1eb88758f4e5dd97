public import FilmgateCore
public import HTTPKit

/// The options of `s3`.
public struct S3Options: WebConfig {
    enum Style: String, CaseIterable, ConfigValue { case path, virtualHost = "virtual-host" }
    enum Checksum: String, CaseIterable, ConfigValue { case sha256, md5, none }

    var bucket = "", endpoint = "", region = "us-east-1", style: Style?
    var key = Template("{captured:yyyy}/{captured:yyyy-MM-dd}/{name}"), storageClass = ""
    var checksum = Checksum.sha256, ifNoneMatch = true
    var multipartAbove = ByteCount(64 << 20), partSize = ByteCount(16 << 20)
    public var web = WebOptions()

    public init() {}

    public static let schema = Schema<Self>(
        [
            .field("bucket", \.bucket, "The bucket; it must exist.").required(),
            .field("endpoint", \.endpoint, "Address of the service; absent = Amazon's for the region."),
            .field("region", \.region, "The region that requests are signed for; `auto` for Cloudflare R2."),
            .field(
                "style", \.style,
                "Where the bucket stands in the address; absent = `path` with an endpoint, else `virtual-host`."),
            .field("key", \.key, "The object's key, as a template; `{sha256}` in it makes every key unique."),
            .field("storage_class", \.storageClass, "Value of `x-amz-storage-class`, such as STANDARD_IA."),
            .field(
                "checksum", \.checksum,
                "What the service checks on arrival: `sha256`, or for older ones `md5` (Content-MD5)."),
            .field(
                "if_none_match", \.ifNoneMatch,
                "Forbids overwriting by `If-None-Match: *`; false where the service does not know it."),
            .field(
                "multipart_above", \.multipartAbove, in: ByteCount(5 << 20)...ByteCount(5 << 30),
                "Larger files go in parts, and go on where they stopped."),
            .field("part_size", \.partSize, in: ByteCount(5 << 20)...ByteCount(5 << 30), "Bytes per part."),
        ] + WebOptions.fields())

    /// The bucket's own address, ending in `/`; nil when the options make none.
    var base: WebAddress? {
        let service = WebAddress(endpoint.isEmpty ? "https://s3.\(region).amazonaws.com" : endpoint)
        guard let service, service.query == nil else { return nil }
        let path = service.path.hasSuffix("/") ? service.path : service.path + "/"
        guard (style ?? (endpoint.isEmpty ? .virtualHost : .path)) == .virtualHost else {
            return WebAddress(service.origin + path + Percent.encode(bucket) + "/")
        }
        return WebAddress(service.origin.replacing("://", with: "://\(bucket).") + path)
    }

    public func validate(at node: ConfigNode) throws(ConfigError) {
        func mistake(_ key: String, _ message: String, hint: String? = nil) -> ConfigError {
            ConfigError(node[key]?.mark ?? node.mark, "bad-option", message, hint: hint)
        }
        let fine = bucket.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x2E, 0x5F].contains(byte)
        }
        guard fine, (1...255).contains(bucket.utf8.count) else {
            throw mistake("bucket", "`\(bucket)` is no name of a bucket.")
        }
        guard base != nil else {
            throw mistake(
                "endpoint", "`\(endpoint)` is not an http or https address.",
                hint: "Write scheme and host, such as https://s3.example.")
        }
        guard let key,
            !key.uses.isDisjoint(with: ["name", "stem", "shot", "counter", "sha256", "sha1", "md5", "captured"])
        else {
            throw mistake("key", "Every file would get the same key.", hint: "Put {name} or {sha256} into it.")
        }
        if key.source.hasPrefix("/") { throw mistake("key", "A key does not begin with `/`.") }
    }
}
