/**
 * Repeats `check` until it passes (returns without throwing). Rejects with the error of a check that began more than
 * `timeoutMs` after the call. A check that only ended after the time limit does not count, because it may have read an
 * earlier state.
 */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 120_000): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const isLast = performance.now() > deadline;
    try {
      return await check();
    } catch (error) {
      if (isLast) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
