import CameraTesting
import CanonCamera
import PTPKit
import Testing
import VirtualCamera

@Suite struct CanonScriptTests {
    @Test(.timeLimit(.minutes(5)), arguments: 1...40 as ClosedRange<UInt64>)
    func anythingAtAllIsSurvived(seed: UInt64) async {
        for round in 0..<20 as Range<UInt64> {
            await ScriptedLink.exercise(
                CanonHandler(), as: CanonPersonality().info, ScriptedLink.random(seed * 1000 + round))
        }
    }
}
