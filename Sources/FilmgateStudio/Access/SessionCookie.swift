/// The cookie that holds half of a session.
struct SessionCookie: Sendable {
    let name: String
    /// The page is served through TLS: browsers keep the cookie to that.
    let isEncrypted: Bool

    /// `life`: in seconds; 0 takes it back.
    func header(_ value: String, life: Int64) -> String {
        "\(name)=\(value); Path=/; HttpOnly; SameSite=Strict\(isEncrypted ? "; Secure" : ""); Max-Age=\(life)"
    }
}
