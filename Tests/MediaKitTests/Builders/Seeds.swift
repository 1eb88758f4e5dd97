/// One small valid file per format: where mutation tests and fuzzing begin.
let seeds: [(name: String, bytes: [UInt8])] = {
    let exif = TIFFBuilder.camera().build()
    let packet = xmpPacket(attributes: #"xmp:Rating="4""#, elements: "<tiff:Make>Acme</tiff:Make>")
    let jpeg = JPEGBuilder.camera(exif, xmp: packet).build()
    let cr3 = uuidBox(
        [0x85C0_B687_820F_11E0, 0x8111_F4CE_462B_6A48],
        box("CMT1", TIFFBuilder(folders: [TIFFBuilder.camera().folders[0].dropLast(2)]).build())
            ++ box("CMT2", TIFFBuilder(folders: [TIFFBuilder.camera().folders[1]]).build())
            ++ box("CMT4", TIFFBuilder(folders: [TIFFBuilder.camera().folders[2]]).build()))
    let keys = [("com.apple.quicktime.creationdate", "2026-05-01T12:30:05+0200"), ("com.apple.quicktime.make", "Acme")]
    let uuid: [UInt64] = [0xBE7A_CFCB_97A9_42E8, 0x9C71_9994_91E3_AFAC]
    return [
        ("a.jpg", jpeg), ("b.jpg", JPEGBuilder.camera(TIFFBuilder.camera(.big).build()).build()),
        ("a.exv", [0xFF, 0x01] ++ ascii("Exiv2") ++ Array(jpeg[2...])),
        ("a.nef", tiffRAW(order: .big, xmp: packet)), ("a.orf", tiffRAW(magic: 0x4F52)), ("a.dng", tiffRAW(gap: 300)),
        ("a.rw2", rw2(jpeg)), ("a.raf", raf(jpeg)), ("a.mrw", mrw(TIFFBuilder.camera(.big).build())), ("a.crw", crw()),
        ("a.x3f", x3f(jpeg)), ("a.eip", eip(tiffRAW())), ("a.raw", reversedRAW()), ("a.heic", heif(exif, xmp: packet)),
        ("a.avif", heif(exif, brand: "avif")),
        ("a.cr3", MovieBuilder(brand: "crx ", extra: cr3, top: uuidBox(uuid, ascii(packet)), frames: 200).build()),
        (
            "a.mov",
            MovieBuilder(
                userData: userText("\u{A9}mod", "A-1") ++ userText("\u{A9}xyz", "+59.91+010.75/"), keys: keys,
                frames: 200
            ).build()
        ),
        (
            "a.mp4",
            MovieBuilder(brand: "XAVC", top: fullBox("meta", box("xml ", ascii(nonRealTimeMeta))), frames: 200).build()
        ),
        (
            "a.jp2",
            box("jP  ", zeros(4)) ++ box("jp2h", box("ihdr", be32(200) ++ be32(320) ++ zeros(6)))
                ++ uuidBox(uuid, ascii(packet))
        ),
        ("a.jxl", box("JXL ", zeros(4)) ++ box("Exif", be32(0) ++ exif) ++ box("jxlc", jxlStream)), ("a.avi", avi()),
        ("a.wav", wav(broadcast: true)),
        ("b.wav", wav(broadcast: false)), ("a.webp", webp(exif)), ("a.png", png([("eXIf", exif)])),
        ("b.png", png([("zTXt", ascii("Raw profile type exif\0") ++ [0] ++ zlibStored(rawProfile(exif)))])),
        ("a.psd", psd([(1058, exif)])), ("a.mts", transportStream()), ("a.mxf", mxf()), ("a.mkv", matroska()),
        ("a.dv", dv()), ("a.r3d", r3d()), ("a.xmp", ascii(packet)), ("a.xml", ascii(nonRealTimeMeta)),
        ("b.jxl", jxlStream), ("a.bmp", bmp()), ("a.gif", gif()),
    ]
}()
