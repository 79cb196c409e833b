import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitLimits {
  readonly timeoutMs: number;
  readonly intervalMs: number;
}

/** Calls `probe` every `intervalMs` until it returns a value; returns undefined after `timeoutMs`. */
export async function waitUntil<T>(probe: () => Promise<T | undefined>, limits: WaitLimits): Promise<T | undefined> {
  const deadline = performance.now() + limits.timeoutMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined || performance.now() >= deadline) return value;
    await sleep(limits.intervalMs);
  }
}
