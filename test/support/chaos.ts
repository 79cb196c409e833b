import { appendFileSync } from 'node:fs';

/** `npm run chaos` sets the first two; without it, every run has a seed of its own and records nothing. */
const { CHAOS_SEED, CHAOS_RECORD, CHAOS_MINUTES } = process.env;

/** Repeats the random decisions of a test: `CHAOS_SEED=<seed> npm test -- <file>`. Their timing is not repeated. */
const seed = CHAOS_SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(CHAOS_SEED);
let state = seed;

/** Returns a number from 0 to below 1, like `Math.random` (mulberry32). The first call prints the seed. */
export function random(): number {
  if (state === seed) process.stderr.write(`chaos seed: ${seed}\n`);
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** With `npm run chaos -- --topology`, a test of a topology goes on for this time. */
const longMs = CHAOS_MINUTES === undefined ? undefined : Number(CHAOS_MINUTES) * 60_000;
const endsAt = performance.now() + (longMs ?? 0);

/** Sufficient for the losses below, the last of which begins before the time is over. */
export const LOSSES_TIMEOUT_MS = (longMs ?? 0) + 600_000;

/** Numbers the servers that a test loses, one after another: `count` of them, or as many as the time permits. */
export function* losses(count: number): Generator<number> {
  for (let n = 0; n === 0 || (longMs === undefined ? n < count : performance.now() < endsAt); n += 1) yield n;
}

/** Counts a process that a test has killed like a crash. */
export function recordKill(): void {
  record({ kills: 1 });
}

/** Counts a process that a test has suspended for some time, like a host that hangs. */
export function recordFreeze(): void {
  record({ freezes: 1 });
}

/** Records how long the platform did not serve after the promotion of another server. */
export function recordPause(ms: number): void {
  record({ pause_ms: ms });
}

/** Counts the events that streams lacked without saying so, and the streams that said that they lack some. */
export function recordEvents({ lost, gaps }: { readonly lost: number; readonly gaps: number }): void {
  record({ events_lost: lost, gaps });
}

/** Returns the acknowledged executions that are not stored, and counts them. */
export function lostOf(acknowledged: readonly string[], stored: Iterable<string>): string[] {
  const found = new Set(stored);
  const lost = acknowledged.filter((id) => !found.has(id));
  record({ executions: acknowledged.length, lost: lost.length });
  return lost;
}

/** Returns the values that occur more than once, and counts them. */
export function doubledOf(started: readonly (number | string)[]): (number | string)[] {
  const doubled = started.filter((one, index) => started.indexOf(one) !== index);
  record({ doubled: doubled.length });
  return doubled;
}

/**
 * Returns the instants between the first and the last one that have not started, and counts all. Instants in seconds.
 */
export function missedOf(started: readonly number[], intervalSeconds: number): number[] {
  const found = new Set(started);
  const first = Math.min(...started);
  const count = (Math.max(...started) - first) / intervalSeconds + 1;
  const expected = Array.from({ length: count }, (_none, n) => first + n * intervalSeconds);
  const missed = expected.filter((instant) => !found.has(instant));
  record({ instants: count, missed: missed.length });
  return missed;
}

/** One line per call; `tools/chaos` adds them up. */
function record(counts: Readonly<Record<string, number>>): void {
  if (CHAOS_RECORD !== undefined) appendFileSync(CHAOS_RECORD, `${JSON.stringify(counts)}\n`);
}
