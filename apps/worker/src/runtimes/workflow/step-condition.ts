import { runInNewContext } from 'node:vm';
import type { JsonObject } from '@app/kernel';
import { operatorsOf } from '@app/workflow-grammar';
import { RuntimeFailure } from '../runtime.js';
import { textOf } from '../template.js';

/** An expression can take exponential time; the worker serves other runs in the same thread. */
const MATCH_TIMEOUT_MS = 100;

/** Time limit for all conditions of a step together. */
const CONDITIONS_TIMEOUT_MS = 1000;

/**
 * Returns the first condition that is false. `outputOf` returns the output of a step, null without one; `now` returns a
 * monotonic time in milliseconds. Throws a RuntimeFailure if the expressions take too long.
 */
export function failingCondition(
  conditions: readonly JsonObject[],
  outputOf: (step: string) => string | null,
  now = (): number => performance.now(),
): JsonObject | undefined {
  const deadline = now() + CONDITIONS_TIMEOUT_MS;
  const timeLeft = (): number => deadline - now();
  return conditions.find((condition) => !holds(condition, outputOf(String(condition['step'])), timeLeft));
}

/** Whether the output of its step satisfies a condition. Without an output, only `exists: false` is true. */
function holds(condition: JsonObject, output: string | null, timeLeft: () => number): boolean {
  const [operator] = operatorsOf(condition);
  const operand = operator === undefined ? undefined : condition[operator];
  if (operator === 'exists') return operand === (output !== null);
  if (output === null) return false;
  switch (operator) {
    case 'equals':
      return output === textOf(operand);
    case 'not_equals':
      return output !== textOf(operand);
    case 'contains':
      return output.includes(textOf(operand) ?? '');
    case 'matches':
      return typeof operand === 'string' && isMatch(operand, output, timeLeft);
    default:
      return false;
  }
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
