import CCrypto
public import FilmgateCore

/// A certificate that nobody else vouches for, and its key: enough for encryption, and for who compares its
/// fingerprint.
public struct SelfSignedCertificate: Sendable {
    /// Both as PEM (RFC 7468); the key as PKCS #8, unencrypted.
    public let certificate: [UInt8], key: [UInt8]

    /// A certificate for servers (X.509 v3, P-256) for these host names and IP addresses, from now on.
    ///
    /// Browsers take none that counts for more than 398 days. `unexpected` where one of `names` is no host name and no
    /// address.
    public init(name: String, names: [String], days: Int) throws(IngestError) {
        let subjects = names.compactMap(Self.subject)
        guard subjects.count == names.count, !names.isEmpty,
            let made = withoutTrace({ Self.make(name, subjects, days) })
        else {
            throw IngestError(.unexpected, "No certificate can be made for \(names.joined(separator: ", ")).")
        }
        (certificate, key) = made
    }

    /// What a file says of itself: how long it still counts, and by what its owner knows it.
    public struct Facts: Sendable {
        /// Negative once it is over.
        public var daysLeft: Int
        /// SHA-256 of the whole certificate, as browsers show it: `A1:B2:…`.
        public var fingerprint: String

        /// Nil for what is no certificate in PEM.
        public init?(pem: [UInt8]) {
            guard let facts = withoutTrace({ Self.read(pem) }) else { return nil }
            self = facts
        }

        private init(days: Int, encoding: [UInt8]) {
            var hash = RunningHash(.sha256)
            encoding.withUnsafeBytes { hash.update($0) }
            let digits = hash.digest().map { byte in
                let text = String(byte, radix: 16, uppercase: true)
                return byte < 16 ? "0" + text : text
            }
            (daysLeft, fingerprint) = (days, digits.joined(separator: ":"))
        }

        private static func read(_ pem: [UInt8]) -> Facts? {
            guard let input = OpenSSLHandle(BIO_new_mem_buf(pem, CInt(pem.count)), { BIO_free_all($0) }),
                let certificate = OpenSSLHandle(PEM_read_bio_X509(input.pointer, nil, nil, nil), { X509_free($0) })
            else { return nil }
            var days: CInt = 0, seconds: CInt = 0, encoding: UnsafeMutablePointer<UInt8>?
            guard ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(certificate.pointer)) == 1 else { return nil }
            let count = i2d_X509(certificate.pointer, &encoding)
            guard count > 0, let encoding else { return nil }
            defer { CRYPTO_free(encoding, #file, #line) }
            return Facts(days: Int(days), encoding: Array(UnsafeBufferPointer(start: encoding, count: Int(count))))
        }
    }

    /// A certificate can be made for this host name or IP address.
    public static func canName(_ name: String) -> Bool { subject(name) != nil }

    /// As OpenSSL's configuration writes an alternative name; nil for what could be read as more than one.
    private static func subject(_ name: String) -> String? {
        let isAddress = name.contains(":") || name.allSatisfy { $0.isNumber || $0 == "." }
        guard !name.isEmpty, name.utf8.count <= 253,
            name.utf8.allSatisfy({ isHostByte($0) || (isAddress && $0 == UInt8(ascii: ":")) })
        else {
            return nil
        }
        return (isAddress ? "IP:" : "DNS:") + name
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
    }

    private static func make(_ name: String, _ subjects: [String], _ days: Int) -> ([UInt8], [UInt8])? {
        let library = OpenSSLObject.library.pointer
        guard let maker = OpenSSLHandle(EVP_PKEY_CTX_new_from_name(library, "EC", nil), { EVP_PKEY_CTX_free($0) }),
            EVP_PKEY_keygen_init(maker.pointer) == 1, EVP_PKEY_CTX_set_group_name(maker.pointer, "P-256") == 1
        else { return nil }
        var made: OpaquePointer?
        guard EVP_PKEY_generate(maker.pointer, &made) == 1, let key = OpenSSLHandle(made, { EVP_PKEY_free($0) }),
            let certificate = OpenSSLHandle(X509_new_ex(library, nil), { X509_free($0) }),
            fill(certificate, key, name, days)
        else { return nil }
        for (kind, value) in [
            (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
            (NID_ext_key_usage, "serverAuth"), (NID_subject_alt_name, subjects.joined(separator: ",")),
        ] {
            guard let detail = OpenSSLHandle(X509V3_EXT_conf_nid(nil, nil, kind, value), { X509_EXTENSION_free($0) }),
                X509_add_ext(certificate.pointer, detail.pointer, -1) == 1
            else { return nil }
        }
        guard X509_sign(certificate.pointer, key.pointer, OpenSSLObject.hash("SHA2-256").pointer) > 0 else {
            return nil
        }
        guard let certificatePEM = text({ PEM_write_bio_X509($0, certificate.pointer) }),
            let keyPEM = text({ PEM_write_bio_PrivateKey($0, key.pointer, nil, nil, 0, nil, nil) })
        else { return nil }
        return (certificatePEM, keyPEM)
    }

    /// Everything but extensions and signature.
    private static func fill(
        _ certificate: borrowing OpenSSLHandle, _ key: borrowing OpenSSLHandle, _ name: String, _ days: Int
    ) -> Bool {
        // Version 3, whose number is 2; a random serial number, as RFC 5280, section 4.1.2.2, wants it: positive, 20
        // bytes at most.
        guard X509_set_version(certificate.pointer, 2) == 1, let serial = OpenSSLHandle(BN_new(), { BN_free($0) }),
            BN_rand(serial.pointer, 126, 0, 0) == 1,
            BN_to_ASN1_INTEGER(serial.pointer, X509_get_serialNumber(certificate.pointer)) != nil
        else { return false }
        // From an hour ago: the clock of a phone may be behind.
        guard X509_gmtime_adj(X509_getm_notBefore(certificate.pointer), -3600) != nil,
            X509_gmtime_adj(X509_getm_notAfter(certificate.pointer), days * 86_400 - 3600) != nil,
            X509_set_pubkey(certificate.pointer, key.pointer) == 1
        else { return false }
        let subject = X509_get_subject_name(certificate.pointer), bytes = Array(name.utf8.prefix(64))
        return X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, bytes, CInt(bytes.count), -1, 0) == 1
            && X509_set_issuer_name(certificate.pointer, subject) == 1
    }

    private static func text(_ write: (OpaquePointer) -> CInt) -> [UInt8]? {
        guard let output = OpenSSLHandle(BIO_new(BIO_s_mem()), { BIO_free_all($0) }), write(output.pointer) == 1 else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(output.pointer))
        guard !bytes.isEmpty, BIO_read(output.pointer, &bytes, CInt(bytes.count)) == CInt(bytes.count) else {
            return nil
        }
        return bytes
    }
}

/// One of OpenSSL's objects, freed with its owner.
private struct OpenSSLHandle: ~Copyable {
    let pointer: OpaquePointer
    private let free: (OpaquePointer) -> Void

    init?(_ made: OpaquePointer?, _ free: @escaping (OpaquePointer) -> Void) {
        guard let made else { return nil }
        (pointer, self.free) = (made, free)
    }

    deinit { free(pointer) }
}
