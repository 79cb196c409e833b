import type { RunCandidate } from './runnable-source.js';

/** Further capabilities of a runnable are left out. */
export const MAX_CANDIDATE_CAPABILITIES = 20;
/** Only the most recently used runnables are ranked, because ranking reads their descriptions. */
export const MAX_RANKED = 1000;

const MAX_WORDS = 50;

/** Returns the different words of a text as alternatives for `to_tsquery`; empty without a word. */
export function rankingWords(text: string): string {
  const words = new Set<string>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (word.length > 2 && word.length <= 50) words.add(word.toLowerCase());
    if (words.size === MAX_WORDS) break;
  }
  return [...words].join(' | ');
}

/** The best matches first; among equals the most recently used ones. */
export function byRank(one: RunCandidate, other: RunCandidate): number {
  return other.rank - one.rank || other.used_at.getTime() - one.used_at.getTime() || (one.id < other.id ? -1 : 1);
}

/** The SQL of a candidate's `rank`: how well these texts match the words in the parameter. */
export function rankOf(texts: string, words: string): string {
  return `ts_rank(to_tsvector('english', ${texts}), to_tsquery('english', ${words}))`;
}
