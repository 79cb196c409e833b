import { runInNewContext } from 'node:vm';
import { isJsonObject } from '@app/kernel';
import { RuntimeFailure } from '../runtime.js';
import { textOf } from '../template.js';

/** An expression can take exponential time; the worker serves other runs in the same thread. */
const MATCH_TIMEOUT_MS = 100;

/** Returns the conditions of `when`: one, or a list of which all must hold. */
export function conditionsIn(when: unknown): readonly Record<string, unknown>[] {
  return (Array.isArray(when) ? when : [when]).filter(isJsonObject);
}

/** Whether the output of the step that the condition names has what it asks. Without an output only `exists: false` holds. */
export function holds(condition: Record<string, unknown>, output: string | null): boolean {
  const { equals, not_equals: different, contains, matches, exists } = condition;
  if (typeof exists === 'boolean') return exists === (output !== null);
  if (output === null) return false;
  if (equals !== undefined) return output === textOf(equals);
  if (different !== undefined) return output !== textOf(different);
  if (contains !== undefined) return output.includes(textOf(contains) ?? '');
  return typeof matches === 'string' && isMatch(matches, output);
}

function isMatch(expression: string, text: string): boolean {
  try {
    const context = { expression, text };
    return runInNewContext('new RegExp(expression, "u").test(text)', context, { timeout: MATCH_TIMEOUT_MS }) === true;
  } catch {
    throw new RuntimeFailure(`The expression ${expression} took too long to match`);
  }
}
