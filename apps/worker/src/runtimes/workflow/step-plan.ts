import { placeholdersIn, type JsonObject } from '@app/kernel';
import { objectIn, readNumber, readObjects, readTexts, textIn } from '../../json-fields.js';
import { conditionsIn } from './step-condition.js';

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
  const conditions = conditionsIn(step['when']);
  const templates = [...textsIn(step['prompt']), ...textsIn(tool['arguments'])];
  const inputs = new Set([...readTexts(step['depends_on']), ...templates.flatMap(outputsUsed)]);
  const conditional = readTexts(conditions.map(({ step: name }) => name));
  const timeout = positive(step['timeout_seconds']);
  return {
    name: String(step['name']),
    type: String(step['type']),
    prompt: textIn(step, 'prompt'),
    modelId: textIn(step, 'model_id'),
    tool,
    conditions,
    dependencies: [...new Set([...inputs, ...conditional])],
    inputs: [...inputs],
    maxAttempts: positive(retry['max_attempts']) ?? 1,
    delayMs: 1000 * (positive(retry['delay_seconds']) ?? 0),
    timeoutMs: timeout === null ? null : 1000 * timeout,
  };
}

function outputsUsed(template: string): string[] {
  return [...placeholdersIn(template)].flatMap(({ name }) => /^steps\.([^.]+)\.output(?:\.|$)/.exec(name)?.[1] ?? []);
}

/** Not recursive: arguments can be nested deeply. */
function textsIn(root: unknown): string[] {
  const texts: string[] = [];
  const pending = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) pending.push(...Object.values(value));
  }
  return texts;
}

function positive(value: unknown): number | null {
  const number = readNumber(value);
  return number !== null && number > 0 ? number : null;
}
