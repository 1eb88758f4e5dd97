// What browsers have and the compiler of Debian 12 does not know yet.

interface Array<T> {
  toReversed(): T[];
}

interface WakeLockSentinel {
  release(): Promise<void>;
}
interface Navigator {
  readonly wakeLock?: { request(kind: "screen"): Promise<WakeLockSentinel> };
}
