/** Nobody is here who has touched nothing for that long. */
const PATIENCE_MS = 600_000;
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'focus'] as const;

let lastSeen = Date.now();

/** Whether nobody looks at a page that is open. */
export function isAway(): boolean {
  return Date.now() - lastSeen > PATIENCE_MS;
}

/** Follows whether somebody is here, and calls `onReturn` when a person comes back. */
export function watchPresence(onReturn: () => void): void {
  const see = (): void => {
    const wasAway = isAway();
    lastSeen = Date.now();
    if (wasAway) onReturn();
  };
  for (const sign of SIGNS) window.addEventListener(sign, see, { passive: true, capture: true });
}

/** Returns when a query is repeated: seldom or never while nobody is here, so that a night costs little. */
export function gently(intervalMs: number, awayMs: number | false = false): () => number | false {
  return () => (isAway() ? awayMs : intervalMs);
}
