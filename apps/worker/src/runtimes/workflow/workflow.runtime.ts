import { isJsonObject, newId, type Clock } from '@app/kernel';
import { MAX_RESPONSE_BYTES, reportableText } from '../../control-plane/reportable.js';
import { RuntimeFailure, type Runtime, type RuntimeResult, type RuntimeTask } from '../runtime.js';
import { leavesOf, planSteps } from './step-plan.js';
import { readUsage, usageWithout } from '../usage-sum.js';
import { StepStates } from './step-states.js';
import { WorkflowRun } from './workflow-run.js';

/**
 * Runs workflows. Each step starts as soon as the steps that it depends on have ended. The control plane stores the
 * state of each step, and the next attempt of the execution runs only the steps that have not ended.
 */
export class WorkflowRuntime implements Runtime {
  readonly name = 'workflow';

  constructor(private readonly clock: Clock) {}

  async run(task: RuntimeTask): Promise<RuntimeResult> {
    const { workflow } = task.lease;
    const steps = planSteps(workflow['steps']);
    const configuration = isJsonObject(workflow['configuration']) ? workflow['configuration'] : {};
    const continueOnError = configuration['continue_on_error'] === true;
    const states = new StepStates(steps, workflow['reported_steps'], continueOnError);
    const failure = await new WorkflowRun(task, steps, states, { continueOnError, clock: this.clock }).execute();
    const total = states.usage();
    const usage = usageWithout(total, readUsage(task.lease.earlierUsage)) ?? total;
    if (failure !== null) throw new RuntimeFailure(failure, usage);
    return { response: responseOf(leavesOf(steps), states), messageId: newId(), usage };
  }
}

/**
 * The output of the step that no other step depends on; for several such steps, a JSON object of their outputs by name.
 */
function responseOf(leaves: readonly string[], states: StepStates): string {
  const [only] = leaves;
  if (only === undefined) return '';
  if (leaves.length === 1) return states.outputOf(only) ?? '';
  const maxBytes = Math.floor(MAX_RESPONSE_BYTES / leaves.length / 2);
  const outputs = leaves.map((name) => {
    const output = states.outputOf(name);
    return [name, output === null ? null : reportableText(output, maxBytes)] as const;
  });
  return JSON.stringify(Object.fromEntries(outputs));
}
