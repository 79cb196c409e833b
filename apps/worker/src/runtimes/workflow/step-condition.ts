import { runInNewContext } from 'node:vm';
import { isJsonObject } from '@app/kernel';
import { RuntimeFailure } from '../runtime.js';
import { textOf } from '../template.js';

/** An expression can take exponential time; the worker serves other runs in the same thread. */
const MATCH_TIMEOUT_MS = 100;

/** Time limit for all conditions of a step together. */
const CONDITIONS_TIMEOUT_MS = 1000;

type Condition = Readonly<Record<string, unknown>>;

/** Returns the conditions of `when`, which is one condition or a list; all of them must be true. */
export function conditionsIn(when: unknown): readonly Condition[] {
  return (Array.isArray(when) ? when : [when]).filter(isJsonObject);
}

/**
 * Returns the first condition that is false. `outputOf` returns the output of a step, null without one; `now` returns a
 * monotonic time in milliseconds. Throws a RuntimeFailure if the expressions take too long.
 */
export function failingCondition(
  conditions: readonly Condition[],
  outputOf: (step: string) => string | null,
  now = (): number => performance.now(),
): Condition | undefined {
  const deadline = now() + CONDITIONS_TIMEOUT_MS;
  const timeLeft = (): number => deadline - now();
  return conditions.find((condition) => !holds(condition, outputOf(String(condition['step'])), timeLeft));
}

/** Whether the output of its step satisfies a condition. Without an output, only `exists: false` is true. */
function holds(condition: Condition, output: string | null, timeLeft: () => number): boolean {
  const { equals, not_equals: different, contains, matches, exists } = condition;
  if (typeof exists === 'boolean') return exists === (output !== null);
  if (output === null) return false;
  if (equals !== undefined) return output === textOf(equals);
  if (different !== undefined) return output !== textOf(different);
  if (contains !== undefined) return output.includes(textOf(contains) ?? '');
  return typeof matches === 'string' && isMatch(matches, output, timeLeft);
}

function isMatch(expression: string, text: string, timeLeft: () => number): boolean {
  const timeout = Math.min(MATCH_TIMEOUT_MS, Math.ceil(timeLeft()));
  try {
    // A timeout that is not positive throws as well.
    return runInNewContext('new RegExp(expression, "u").test(text)', { expression, text }, { timeout }) === true;
  } catch {
    throw new RuntimeFailure(`The expression ${expression} took too long to match`);
  }
}
