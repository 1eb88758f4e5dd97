/// XML beside a frame: XMP packets and the clip metadata of XDCAM and XAVC cards.
enum SidecarFile {
    static func locate(in file: ByteRegion, into findings: inout Findings) {
        let bytes = file.upTo(1 << 20)
        if bytes.first(4096).index(of: Array("NonRealTimeMeta".utf8)) != nil {
            findings.take { NonRealTimeMeta.fill(&$0, from: bytes) }
        } else {
            findings.takeXMP(bytes)
        }
    }
}
