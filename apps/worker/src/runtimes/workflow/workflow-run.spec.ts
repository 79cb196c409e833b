import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { NestedConversation } from '../../conversation/conversation.js';
import type { StepReport } from '../../control-plane/control-plane.port.js';
import { Redactor } from '../../redaction/secrets.js';
import { readLease } from '../../control-plane/lease.js';
import { NO_RETRIES, taskWorkbench } from '../../testing/workbench.js';
import { wireLease } from '../../testing/wire-lease.js';
import { planSteps } from './step-plan.js';
import { StepStates } from './step-states.js';
import { WorkflowRun } from './workflow-run.js';

const MIB = 1_048_576;
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, model: 'm', requests: 1, tool_calls: 0 };

/** Runs a workflow whose step `earlier` has the output `stored`. The model returns the `outputs` one after another. */
async function run(steps: readonly object[], stored: string, outputs: string[]): Promise<StepReport[]> {
  const lease = readLease(wireLease(), Date.now());
  if (lease === null) throw new Error('invalid lease');
  const reports: StepReport[] = [];
  const respond = async () => ({ response: outputs.shift() ?? '', messageId: 'm', usage });
  const task = {
    lease,
    gateway: { url: 'http://gateway.invalid', apiKey: null, ...NO_RETRIES },
    ...taskWorkbench(),
    redactor: new Redactor([]),
    logger: createLogger('test'),
    signal: new AbortController().signal,
    publish: () => undefined,
    waitWhilePaused: () => Promise.resolve(),
    conversation: new NestedConversation(),
    mayAsk: false,
    reportSteps: async (batch: readonly StepReport[]): Promise<void> => void reports.push(...batch),
    runtimes: { for: () => ({ name: 'default', run: respond }) },
  };
  const planned = planSteps([{ name: 'earlier', type: 'prompt' }, ...steps]);
  const states = new StepStates(planned, [{ name: 'earlier', status: 'completed', output: stored }], true);
  await new WorkflowRun(task, planned, states, { continueOnError: true, clock: new SystemClock() }).execute();
  return reports.filter(({ status }) => status !== 'running');
}

describe('the limit of the outputs of all steps', () => {
  it('counts no output that it rejects: a retry and later steps can still store a shorter one', async () => {
    const large = { name: 'large', type: 'prompt', retry: { max_attempts: 2 } };
    const next = { name: 'next', type: 'prompt', depends_on: ['large'] };
    const reports = await run([large, next], 'x'.repeat(4 * MIB - 20), ['x'.repeat(1000), 'shorter', 'short']);
    expect(reports).toMatchObject([
      { name: 'large', status: 'completed', attempt: 2, output: 'shorter' },
      { name: 'next', status: 'completed', output: 'short' },
    ]);
  });

  it('rejects an output that exceeds it', async () => {
    const reports = await run([{ name: 'large', type: 'prompt' }], 'x'.repeat(4 * MIB - 20), ['x'.repeat(1000)]);
    expect(reports).toMatchObject([
      { status: 'failed', error_message: 'The outputs of all steps exceed 4 MiB together' },
    ]);
  });
});
