import { isObject, type JsonObject } from './json.js';

/** A tool call requested by a directive. */
interface ScriptedCall {
  readonly name: string;
  /** `null`: derived from the tool's schema, as for a mentioned tool. */
  readonly arguments: JsonObject | null;
  readonly times: number;
}

/** The directives of a prompt, written in double square brackets. Times are milliseconds. See README.md. */
export interface Directives {
  readonly delay: number;
  readonly pace: number;
  readonly tokens: number | null;
  readonly error: { readonly status: number; readonly retryAfterSeconds: number | null } | null;
  readonly breakAfter: number | null;
  readonly cutAfter: number | null;
  readonly garble: boolean;
  readonly say: string | null;
  readonly think: string | null;
  readonly parallel: boolean;
  readonly recall: boolean;
  readonly calls: readonly ScriptedCall[];
}

/** Limits, so that a typing error cannot hold a connection for long or exhaust the memory. */
const MAX_WAIT_MS = 600_000;
const MAX_TOKENS = 100_000;
const MAX_CALLS = 1_000;

/** The JSON of a call may contain `]]`: the directive ends only after the closing brace. */
const CALL_PATTERN = /tool\s+[A-Za-z0-9_-]{1,64}\s*(?:\{[\s\S]{0,4000}?\})?\s*(?:x\d{1,6})?/;
const OTHER_PATTERN = /(?:delay|pace|tokens|error|break|cut|garble|say|think|parallel|recall)\b[\s\S]{0,4000}?/;
const DIRECTIVE_PATTERN = new RegExp(
  `\\[\\[\\s*(${CALL_PATTERN.source}|${OTHER_PATTERN.source})\\s*\\]\\](?!\\])`,
  'g',
);

const NO_DIRECTIVES: Directives = {
  delay: 0,
  pace: 0,
  tokens: null,
  error: null,
  breakAfter: null,
  cutAfter: null,
  garble: false,
  say: null,
  think: null,
  parallel: false,
  recall: false,
  calls: [],
};

/** Returns the directives of a prompt and the text without them. A malformed directive stays in the text. */
export function readDirectives(prompt: string): { directives: Directives; text: string } {
  let directives = NO_DIRECTIVES;
  const text = prompt.replace(DIRECTIVE_PATTERN, (match: string, inner: string) => {
    const name = /^\w+/.exec(inner)?.[0] ?? '';
    const parsed = readDirective(name, inner.slice(name.length).trim(), directives);
    if (parsed === null) return match;
    directives = { ...directives, ...parsed };
    return ' ';
  });
  return { directives, text: text.replace(/[ \t]{2,}/g, ' ').trim() };
}

function readDirective(name: string, argument: string, previous: Directives): Partial<Directives> | null {
  switch (name) {
    case 'delay':
      return mapNonNull(readDuration(argument), (delay) => ({ delay }));
    case 'pace':
      return mapNonNull(readDuration(argument), (pace) => ({ pace }));
    case 'tokens':
      return mapNonNull(readCount(argument, MAX_TOKENS), (tokens) => ({ tokens }));
    case 'break':
      return mapNonNull(readCount(argument, MAX_TOKENS), (breakAfter) => ({ breakAfter }));
    case 'cut':
      return mapNonNull(readCount(argument, MAX_TOKENS), (cutAfter) => ({ cutAfter }));
    case 'garble':
      return { garble: true };
    case 'error':
      return readError(argument);
    case 'tool':
      return mapNonNull(readCall(argument), (call) => ({ calls: [...previous.calls, call] }));
    case 'parallel':
      return { parallel: true };
    case 'recall':
      return { recall: true };
    case 'say':
      return { say: argument };
    default:
      return { think: argument };
  }
}

function mapNonNull<T, R>(value: T | null, map: (value: T) => R): R | null {
  return value === null ? null : map(value);
}

function readDuration(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s)?$/.exec(text);
  if (match?.[1] === undefined) return null;
  return Math.min(MAX_WAIT_MS, Number(match[1]) * (match[2] === 's' ? 1000 : 1));
}

function readCount(text: string, maximum: number): number | null {
  return /^\d{1,9}$/.test(text) ? Math.min(maximum, Number(text)) : null;
}

function readError(text: string): Partial<Directives> | null {
  const match = /^([45]\d\d)(?:\s+(\d{1,6})s)?$/.exec(text);
  if (match?.[1] === undefined) return null;
  return { error: { status: Number(match[1]), retryAfterSeconds: match[2] === undefined ? null : Number(match[2]) } };
}

function readCall(text: string): ScriptedCall | null {
  const match = /^([A-Za-z0-9_-]{1,64})\s*(\{[\s\S]*\})?\s*(?:x(\d{1,6}))?$/.exec(text);
  if (match?.[1] === undefined) return null;
  const times = Math.min(MAX_CALLS, Number(match[3] ?? 1));
  if (match[2] === undefined) return { name: match[1], arguments: null, times };
  try {
    const parsed: unknown = JSON.parse(match[2]);
    return isObject(parsed) ? { name: match[1], arguments: parsed, times } : null;
  } catch {
    return null;
  }
}
