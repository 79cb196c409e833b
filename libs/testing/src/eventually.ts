/**
 * Repeats `check` until it passes (returns without throwing). Rejects with the error of a check that began more than
 * `timeoutMs` after the call. A check that only ended after the time limit does not count, because it may have read an
 * earlier state.
 */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 120_000): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  return repeat(check, () => performance.now() > deadline);
}

const TICK_MS = 10;
/** The lateness of a timer on a machine that is not busy. */
const USUAL_LATENESS_MS = 10;
/** About this many processes run in turn before a check passes; each waits for a CPU as long as this process does. */
const TURNS = 5;

/**
 * Repeats `check` until it passes. Rejects with the error of a check that began after the time limit. On a machine
 * without a free CPU, the limit is longer: by `TURNS` times the total time by which timers of this process were late.
 */
export async function promptly<T>(check: () => T | Promise<T>, limitMs: number): Promise<T> {
  const began = performance.now();
  let [last, lateMs] = [began, 0];
  const timer = setInterval(() => {
    const late = performance.now() - last - TICK_MS;
    if (late > USUAL_LATENESS_MS) lateMs += late;
    last = performance.now();
  }, TICK_MS);
  const isLate = (): boolean => performance.now() - began > limitMs + TURNS * lateMs;
  try {
    return await repeat(check, isLate);
  } finally {
    clearInterval(timer);
  }
}

async function repeat<T>(check: () => T | Promise<T>, isLate: () => boolean): Promise<T> {
  for (;;) {
    const isLast = isLate();
    try {
      return await check();
    } catch (error) {
      if (isLast) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
