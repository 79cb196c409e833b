import { isJsonObject, type JsonObject } from '@app/kernel';

export const MAX_STEPS = 500;

export const STEP_TYPES = ['agent', 'team', 'tool', 'prompt'] as const;
export type StepType = (typeof STEP_TYPES)[number];

/** The kinds of runnables that a step can run. The step names its runnable by id or name in `<kind>_id`. */
export const RUNNABLE_STEP_TYPES = ['agent', 'team'] as const satisfies readonly StepType[];

export const CONDITION_OPERATORS = ['equals', 'not_equals', 'contains', 'matches', 'exists'] as const;
export type ConditionOperator = (typeof CONDITION_OPERATORS)[number];

/** A step as a client sent it, with the fields that checks read; their types are not checked. */
export interface UncheckedStep {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly agent_id?: unknown;
  readonly team_id?: unknown;
  readonly tool?: unknown;
  readonly prompt?: unknown;
  readonly depends_on?: unknown;
  readonly when?: unknown;
}

/** Returns the runnable that a step runs, with the field that names it; undefined for steps of other types. */
export function runnableOf(
  step: UncheckedStep,
):
  | { readonly kind: (typeof RUNNABLE_STEP_TYPES)[number]; readonly field: string; readonly idOrName: string }
  | undefined {
  const kind = RUNNABLE_STEP_TYPES.find((type) => type === step.type);
  if (kind === undefined) return undefined;
  const field = `${kind}_id` as const;
  const idOrName = step[field];
  return typeof idOrName === 'string' && idOrName !== '' ? { kind, field, idOrName } : undefined;
}

/** Returns the conditions of `when`, which is one condition or a list; all of them must be true. */
export function conditionsIn(when: unknown): readonly JsonObject[] {
  return (Array.isArray(when) ? when : [when]).filter(isJsonObject);
}

/** Returns the operators that a condition has; a valid one has exactly one. */
export function operatorsOf(condition: JsonObject): readonly ConditionOperator[] {
  return CONDITION_OPERATORS.filter((operator) => condition[operator] !== undefined);
}
