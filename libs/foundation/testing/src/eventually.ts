/**
 * Repeats `check` until it passes (returns without throwing). Rejects with the error of a check that began more than
 * `timeoutMs` after the call. A check that only ended after the time limit does not count, because it may have read an
 * earlier state.
 */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 120_000): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  return repeat(check, () => performance.now() > deadline, MAX_PAUSE_MS);
}

const PAUSE_MS = 20;
/** Most checks are requests, so those of a long wait would take the CPU time of the work that they wait for. */
const MAX_PAUSE_MS = 250;
const PAUSE_GROWTH = 1.25;

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
    return await repeat(check, isLate, PAUSE_MS);
  } finally {
    clearInterval(timer);
  }
}

/** The pauses between checks grow up to `maxPauseMs`. The first check begins with the call, so it is never late. */
async function repeat<T>(check: () => T | Promise<T>, isLate: () => boolean, maxPauseMs: number): Promise<T> {
  let isLast = false;
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(pauseMs * PAUSE_GROWTH, maxPauseMs)) {
    try {
      return await check();
    } catch (error) {
      if (isLast) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    isLast = isLate();
  }
}
