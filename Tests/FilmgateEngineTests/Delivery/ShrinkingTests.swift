import Testing

@testable import FilmgateEngine

/// What a rush of files needed is given back when it is over.
@Suite struct ShrinkingTests {
    @Test func roomIsGivenBackAndNothingIsLost() {
        var numbers = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ($0, String($0)) })
        for number in 10..<10_000 { #expect(numbers.drop(number) == String(number)) }
        #expect(numbers == Dictionary(uniqueKeysWithValues: (0..<10).map { ($0, String($0)) }))
        #expect(numbers.capacity <= 512)
        #expect(numbers.drop(77) == nil && numbers.drop(3) == "3")
    }
}
