import FileKit
import Testing

@Suite struct NaturalOrderTests {
    @Test(arguments: [
        ["100CANON", "101CANON", "999CANON", "1000X"], ["IMG_2.JPG", "IMG_10.JPG", "IMG_010a.JPG"],
        ["a", "A0", "a00", "a1", "B"], ["DSC_0001.JPG", "DSC_0001.NEF", "DSC_0002.JPG"], ["", "1", "01b", "a"],
        ["x9y1", "x9y2", "x10y1"], ["a-1", "a.1", "a1"],
        ["18446744073709551616", "18446744073709551617", "99999999999999999999999999"], ["a", "ä", "日本"],
    ])
    func namesComeInThisOrder(_ names: [String]) {
        for (i, a) in names.enumerated() {
            for (j, b) in names.enumerated() { #expect(NaturalOrder.precedes(a, b) == (i < j), "\(a) before \(b)") }
        }
    }

    @Test func theOrderIsTotal() {
        let parts = ["0", "00", "1", "01", "a", "A", "b", ".", "_", "9"]
        var names: [String] = []
        for a in parts { for b in parts { names += [a + b, a + b + "1"] } }
        names = Array(Set(names))
        let sorted = names.sorted(by: NaturalOrder.precedes)
        for (i, a) in sorted.enumerated() {
            for b in sorted[(i + 1)...] {
                #expect(NaturalOrder.precedes(a, b) && !NaturalOrder.precedes(b, a), "\(a) before \(b)")
            }
        }
    }
}
