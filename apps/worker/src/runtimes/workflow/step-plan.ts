import type { JsonObject } from '@app/kernel';
import { conditionsIn, usesOf } from '@app/workflow-grammar';
import { objectIn, readNumber, readObjects, textIn } from '../../json-fields.js';

/** A step of a workflow. The control plane has checked the definition; fields of a wrong type are treated as absent. */
export interface PlannedStep {
  readonly name: string;
  readonly type: string;
  readonly prompt: string | null;
  readonly modelId: string | null;
  readonly tool: JsonObject;
  readonly conditions: readonly Record<string, unknown>[];
  /** The steps that end before this one starts. */
  readonly dependencies: readonly string[];
  /** All dependencies except those that only its condition names. The step is skipped if none of them has an output. */
  readonly inputs: readonly string[];
  readonly maxAttempts: number;
  readonly delayMs: number;
  readonly timeoutMs: number | null;
}

export function planSteps(steps: unknown): PlannedStep[] {
  return readObjects(steps).map(planStep);
}

/** Returns the names of the steps that no other step depends on. */
export function leavesOf(steps: readonly PlannedStep[]): string[] {
  const used = new Set(steps.flatMap(({ dependencies }) => dependencies));
  return steps.map(({ name }) => name).filter((name) => !used.has(name));
}

function planStep(step: JsonObject): PlannedStep {
  const tool = objectIn(step, 'tool');
  const retry = objectIn(step, 'retry');
  const uses = usesOf(step);
  const inputs = uses.filter(({ by }) => by !== 'condition');
  const timeout = positive(step['timeout_seconds']);
  return {
    name: String(step['name']),
    type: String(step['type']),
    prompt: textIn(step, 'prompt'),
    modelId: textIn(step, 'model_id'),
    tool,
    conditions: conditionsIn(step['when']),
    dependencies: distinctNames(uses),
    inputs: distinctNames(inputs),
    maxAttempts: positive(retry['max_attempts']) ?? 1,
    delayMs: 1000 * (positive(retry['delay_seconds']) ?? 0),
    timeoutMs: timeout === null ? null : 1000 * timeout,
  };
}

function distinctNames(uses: readonly { readonly name: string }[]): string[] {
  return [...new Set(uses.map(({ name }) => name))];
}

function positive(value: unknown): number | null {
  const number = readNumber(value);
  return number !== null && number > 0 ? number : null;
}
