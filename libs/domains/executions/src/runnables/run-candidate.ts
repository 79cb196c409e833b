import { DEFAULT_RUNTIME, type RunCandidate } from './runnable-source.js';

/** Maximum number of capabilities of a candidate; further ones are omitted. */
export const MAX_CANDIDATE_CAPABILITIES = 20;
/** Only the most recently used runnables are ranked, because ranking reads their descriptions. */
export const MAX_RANKED = 1000;

const MAX_WORDS = 50;

/** Returns a query for `to_tsquery` that matches any word of the text; empty if it has no words. */
export function rankingWords(text: string): string {
  const words = new Set<string>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (word.length > 2 && word.length <= 50) words.add(word.toLowerCase());
    if (words.size === MAX_WORDS) break;
  }
  return [...words].join(' | ');
}

/** Orders the best matches first, and equal matches by their last use, newest first. */
export function byRank(one: RunCandidate, other: RunCandidate): number {
  return other.rank - one.rank || other.used_at.getTime() - one.used_at.getTime() || (one.id < other.id ? -1 : 1);
}

/**
 * Returns the SQL condition that the parameter, a list of runtimes, contains the runtime of a row; null contains every
 * runtime.
 */
export function hasRuntime(runtimes: string): string {
  return `(${runtimes}::text[] IS NULL OR coalesce(nullif(runtime, ''), '${DEFAULT_RUNTIME}') = ANY(${runtimes}))`;
}

/** Returns the SQL expression of the `rank` of a candidate: how well its texts match the words in the parameter. */
export function rankOf(texts: string, words: string): string {
  return `ts_rank(to_tsvector('english', ${texts}), to_tsquery('english', ${words}))`;
}
