import FilmgateCore
import Testing

@testable import HTTPKit

/// The examples that Amazon publishes for S3 ("Signature Calculations for the Authorization Header").
@Suite struct SigV4Tests {
    static let keys = AWSKeys(
        accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: SecretValue("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"))
    static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    func signature(_ request: HTTPRequest) throws -> String? {
        let signed = try SigV4(region: "us-east-1").sign(request, with: Self.keys, at: 1_369_353_600)
        return signed[header: "Authorization"]?.split(separator: "=").last.map { String($0) }
    }

    @Test func getObject() throws {
        let request = HTTPRequest(
            "GET", "https://examplebucket.s3.amazonaws.com/test.txt",
            headers: [("Range", "bytes=0-9"), ("x-amz-content-sha256", Self.empty)])
        #expect(try signature(request) == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    @Test func putObject() throws {
        let request = HTTPRequest(
            "PUT", "https://examplebucket.s3.amazonaws.com/test$file.text",
            headers: [
                ("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
                ("x-amz-content-sha256", "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"),
            ])
        #expect(try signature(request) == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    }

    @Test func bucketLifecycle() throws {
        let request = HTTPRequest(
            "GET", "https://examplebucket.s3.amazonaws.com/?lifecycle", headers: [("x-amz-content-sha256", Self.empty)])
        #expect(try signature(request) == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
    }

    @Test func listObjects() throws {
        let request = HTTPRequest(
            "GET", "https://examplebucket.s3.amazonaws.com/?prefix=J&max-keys=2",
            headers: [("x-amz-content-sha256", Self.empty)])
        #expect(try signature(request) == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
    }

    @Test func temporaryKeysSendTheirTokenAndAnOldSignatureIsReplaced() throws {
        var keys = Self.keys
        keys.sessionToken = SecretValue("session")
        let request = HTTPRequest(
            "PUT", "http://127.0.0.1:9000/b/a%20(1)+x.jpg", headers: [("authorization", "old"), ("X-Amz-Date", "old")])
        let signed = try SigV4(region: "auto").sign(request, with: keys, at: 0)
        #expect(signed.url == "http://127.0.0.1:9000/b/a%20%281%29%2Bx.jpg")
        #expect(
            signed[header: "x-amz-security-token"] == "session" && signed[header: "x-amz-date"] == "19700101T000000Z")
        #expect(signed.headers.filter { $0.name.lowercased() == "authorization" }.count == 1)
        let authorization = signed[header: "Authorization"] ?? ""
        #expect(authorization.contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"))
        #expect(authorization.contains("/19700101/auto/s3/aws4_request"))
    }
}
