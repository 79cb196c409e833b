import { useSyncExternalStore } from 'react';

const STEP_MS = 30_000;
let now = new Date();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function change(): void {
  now = new Date();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    timer = setInterval(change, STEP_MS);
    change();
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the time, at most half a minute old: all times of a page change together, and only while one is shown. */
export function useNow(): Date {
  return useSyncExternalStore(subscribe, () => now);
}
