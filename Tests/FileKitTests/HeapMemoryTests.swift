import FileKit
import FilmgateCore
import Testing

@Suite struct HeapMemoryTests {
    /// What was let go comes back where it is used; what was written to is still as it was written.
    @Test func theProgramGoesOnAfterItsBeginningWasForgotten() async {
        let before = MultiHasher.digest(of: [1, 2, 3], .md5), words = (0..<1000).map { "word \($0)" }
        HeapMemory.forgetBeginning()
        let tasks = (0..<8).map { number in Task { MultiHasher.digest(of: [1, 2, 3], .md5) + String(number) } }
        for (number, task) in tasks.enumerated() { #expect(await task.value == before + String(number)) }
        HeapMemory.forgetBeginning()
        #expect(Set(words).count == 1000)
    }
}
