import { isJsonObject, type Fault } from '@app/kernel';
import { graphFaults } from './graph-faults.js';
import { CONDITION_OPERATORS, operatorsOf, RUNNABLE_STEP_TYPES, type UncheckedStep } from './workflow-step.js';

/**
 * Returns the faults of steps that the validation of their fields does not find: a step without a target, conditions
 * without exactly one operator, and the faults of the graph. The path of a fault begins with `steps` and the index of
 * the step.
 */
export function stepFaults(steps: unknown): Fault[] {
  if (!Array.isArray(steps)) return [];
  const unchecked = steps.map((step: unknown): UncheckedStep => (isJsonObject(step) ? step : {}));
  return [
    ...unchecked.flatMap((step, index) => [
      ...targetFaults(step).map(within(index)),
      ...conditionFaults(step.when).map(within(index)),
    ]),
    ...graphFaults(unchecked),
  ];
}

function targetFaults(step: UncheckedStep): Fault[] {
  const isRunnable = RUNNABLE_STEP_TYPES.some((type) => type === step.type);
  if (isRunnable)
    return isEmpty(step[`${step.type as 'agent' | 'team'}_id`]) ? [missing([`${String(step.type)}_id`], step)] : [];
  if (step.type === 'prompt') return isEmpty(step.prompt) ? [missing(['prompt'], step)] : [];
  if (step.type !== 'tool') return [];
  if (isEmpty(step.tool)) return [missing(['tool'], step)];
  if (!isJsonObject(step.tool)) return [];
  const { tool } = step;
  return ['server', 'name'].flatMap((field) => (isEmpty(tool[field]) ? [missing(['tool', field], step)] : []));
}

/** Maximum number of conditions of one step. */
const MAX_CONDITIONS = 100;

function conditionFaults(when: unknown): Fault[] {
  if (!Array.isArray(when)) return conditionFault(when, ['when']);
  if (when.length > MAX_CONDITIONS) {
    return [{ path: ['when'], msg: `List should have at most ${MAX_CONDITIONS} items`, type: 'too_long' }];
  }
  return when.flatMap((condition: unknown, index) => conditionFault(condition, ['when', String(index)]));
}

function conditionFault(condition: unknown, path: readonly string[]): Fault[] {
  if (condition == null || condition === '') return [];
  const fault = (msg: string, field: readonly string[] = [], type: Fault['type'] = 'value_error'): Fault[] => [
    { path: [...path, ...field], msg, type },
  ];
  if (!isJsonObject(condition)) return fault('Input should be a valid object, or a list of objects', [], 'dict_type');
  const operators = operatorsOf(condition);
  return [
    ...(typeof condition['step'] === 'string' ? [] : fault('Input should be the name of a step', ['step'])),
    ...(operators.length === 1 ? [] : fault(`Input should have exactly one of ${CONDITION_OPERATORS.join(', ')}`)),
    ...(isExpression(condition['matches']) ? [] : fault('Input should be a valid regular expression', ['matches'])),
    ...(['boolean', 'undefined'].includes(typeof condition['exists'])
      ? []
      : fault('Input should be a valid boolean', ['exists'], 'bool_type')),
  ];
}

/** The length is limited because a run compiles the expression. */
const EXPRESSION_MAX_LENGTH = 1000;

function isExpression(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== 'string' || value.length > EXPRESSION_MAX_LENGTH) return false;
  try {
    return new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function missing(path: readonly string[], { type }: UncheckedStep): Fault {
  return { path, msg: `Field required in a step of the type ${String(type)}`, type: 'missing' };
}

function within(index: number): (fault: Fault) => Fault {
  return (fault) => ({ ...fault, path: ['steps', String(index), ...fault.path] });
}
