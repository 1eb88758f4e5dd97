// Apart from the other code: beside Dispatch the compiler may refuse structures of Glibc.
extension ChildProcess {
    /// Leaves it to itself; it is reaped when it ends.
    package func letGo() { BlockingThread.run { self.wait() } }
}
