import { headOf } from '@app/kernel';
import { createHash } from 'node:crypto';

export const FAILURE_KINDS = ['policy', 'worker_lost', 'timeout', 'model', 'tool', 'configuration', 'other'] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

/** Longer first lines are truncated, because the beginning of a line identifies its cause. */
const MAX_LINE_LENGTH = 1000;
/** Title of the failure of an execution without an error message. */
const NO_MESSAGE = 'No error message';

/**
 * Returns the cause of a failure as 16 hexadecimal digits: a case-insensitive hash of its title. Errors that differ
 * only in their parameters have the same cause. Causes are stored with executions, so a change of the rules splits
 * existing groups.
 */
export function failureCause(errorMessage: string | null): string {
  return createHash('sha256').update(failureTitle(errorMessage).toLowerCase()).digest('hex').slice(0, 16);
}

/**
 * Returns the first line of an error message that is not blank, with each parameter replaced: `{url}`, `{path}`,
 * `{text}` for quoted text, and `#` for addresses, ids and numbers, that is, for each word with a digit.
 */
export function failureTitle(errorMessage: string | null): string {
  const line = headOf(/\S.*/u.exec(errorMessage ?? '')?.[0] ?? '', MAX_LINE_LENGTH);
  const title = line
    .replaceAll(QUOTED, '{text}')
    .replaceAll(URL_LIKE, '{url}')
    .replaceAll(EMAIL, '#')
    .replaceAll(PATH, '{path}')
    .replaceAll(WORD, (word) => (/\p{N}/u.test(word) ? '#' : word))
    .replaceAll(NUMBER_GROUP, '#')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  return title === '' ? NO_MESSAGE : title;
}

/**
 * Returns which part of the platform a failure comes from, according to its title. All failures of a cause have the
 * same kind.
 */
export function failureKind(errorMessage: string | null): FailureKind {
  const title = failureTitle(errorMessage).toLowerCase();
  return KINDS.find(([, pattern]) => pattern.test(title))?.[0] ?? 'other';
}

// No pattern has nested or adjacent repetitions of the same characters, so matching takes linear time.
const URL_LIKE = /[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"`<>]+/giu;
/** A single quote is a quotation mark only at the border of a word, so "can't" has none. */
const QUOTED = /"[^"]*"|`[^`]*`|“[^”]*”|«[^»]*»|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu;
const EMAIL = /[^\s@<>()]{1,64}@[^\s@<>()]{1,255}\.[^\s@<>().,;:]{2,}/gu;
/** A path that is absolute, begins with `.`, `..` or `~`, or names a drive. `and/or` is not a path. */
const PATH = /(?<![^\s([{=,;:'"])(?:[A-Za-z]:[\\/]|~?\/|\.{1,2}[\\/])[^\s"'`<>|()[\]{},;:]+/gu;
const WORD = /[\p{L}\p{N}_-]+/gu;
/** `10.0.0.1:5432`, `1.5`, `v1.2.3`, `3/4` */
const NUMBER_GROUP = /#[#.,:/@+-]*#/gu;

/** Patterns for lower-case titles. The first match applies. */
const KINDS: readonly (readonly [FailureKind, RegExp])[] = [
  ['policy', /^denied\b|\bpolic(?:y|ies)\b/],
  ['worker_lost', /\bworker (?:stopped|crashed|was lost|disappeared|is gone|died)\b|\blease (?:expired|was lost)\b/],
  [
    'configuration',
    /does not exist|no longer exists|\bnot configured\b|\bno [\w ]*is configured|\bis not set\b|\bset neither\b|\bhas (?:no|neither)\b|does not support|\bno runtime\b|\bis not a valid\b|\bare not an object\b|does not list|\bsecret\b|\bintegration\b|^(?:agent|team|workflow|environment|worker queue|model) not found|\bno (?:suitable )?(?:queue|environment)\b/,
  ],
  ['tool', /\bmcp\b|\btools?\b/],
  ['model', /\bmodel\b|\bcompletion\b|\btokens?\b|\bcontext (?:length|window)\b/],
  [
    'timeout',
    /time[d -]*out|time limit|deadline|took too long|did not (?:finish|end) within # ?(?:ms|s\b|seconds|minutes)/,
  ],
];
