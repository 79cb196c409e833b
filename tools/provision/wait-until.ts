import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitLimits {
  readonly timeoutMs: number;
  readonly stepMs: number;
}

/** Asks again every `stepMs` until the answer is not undefined; undefined once `timeoutMs` have passed. */
export async function waitUntil<T>(ask: () => Promise<T | undefined>, limits: WaitLimits): Promise<T | undefined> {
  const deadline = performance.now() + limits.timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined || performance.now() >= deadline) return answer;
    await sleep(limits.stepMs);
  }
}
