import CameraTesting
import FujifilmCamera
import PTPKit
import Testing
import VirtualCamera

@Suite struct FujifilmScriptTests {
    @Test(.timeLimit(.minutes(5)), arguments: 1...40 as ClosedRange<UInt64>)
    func anythingAtAllIsSurvived(seed: UInt64) async {
        for round in 0..<20 as Range<UInt64> {
            await ScriptedLink.exercise(
                FujifilmHandler(confirmation: .zero), as: FujifilmPersonality().info,
                ScriptedLink.random(seed * 1000 + round))
        }
    }
}
