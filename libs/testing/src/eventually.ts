/**
 * Repeats `check` until it passes (returns without throwing). Rejects with the error of a check that began more than
 * `timeoutMs` after the call: a check that a slow machine ends after the time limit may have read what was true before it.
 */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 30_000): Promise<T> {
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
