import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '@app/kernel';
import { createLogger, type Logger } from '@app/observability';
import { pino } from 'pino';
import { ControlPlaneError } from './control-plane.errors.js';
import { ExecutionRun } from './execution-run.js';
import { readLease } from './lease.js';
import { RuntimeRegistry } from './runtimes/registry.js';
import { RuntimeFailure, type Runtime, type RuntimeTask, type RuntimeUsage } from './runtimes/runtime.js';
import { FakeControlPlane, gone } from './testing/fake-control-plane.js';
import { wireLease } from './testing/wire-lease.js';

const usage: RuntimeUsage = {
  prompt_tokens: 1,
  completion_tokens: 2,
  total_tokens: 3,
  model: 'm',
  requests: 1,
  tool_calls: 0,
};
const answering = async () => ({ response: 'the answer', messageId: 'm1', usage });
const untilEnded = (task: RuntimeTask) =>
  new Promise<never>((_resolve, reject) => {
    const end = () => reject(new Error('ended'));
    if (task.signal.aborted) end();
    else task.signal.addEventListener('abort', end);
  });

function start(
  run: Runtime['run'],
  lease = wireLease(),
  controlPlane = new FakeControlPlane(),
  logger: Logger = createLogger('test'),
) {
  const read = readLease(lease, Date.now(), () => 'trace');
  if (read === null) throw new Error('not a lease');
  const execution = new ExecutionRun(read, {
    controlPlane,
    runtimes: new RuntimeRegistry([{ name: 'default', run }]),
    gateway: { url: 'http://gateway.invalid', apiKey: null },
    secrets: ['worker-api-key'],
    workerId: 'w1',
    clock: new SystemClock(),
    logger,
  });
  return { controlPlane, execution, outcome: execution.execute() };
}

describe('a run', () => {
  it('goes from running over its events to completed, with the answer and the usage', async () => {
    const { controlPlane, outcome } = start(
      async (task) => {
        task.publish('message_chunk', { message_id: 'm1', content: 'the answer' });
        return answering();
      },
      wireLease({ execution: { job_id: 'job_1' } }),
    );
    expect(await outcome).toBe('completed');
    expect(controlPlane.writes.slice(0, 5)).toEqual([
      'exec-1: patch running',
      'exec-1: event run_started',
      'exec-1: event message_chunk',
      'exec-1: event message',
      'exec-1: patch completed',
    ]);
    expect(controlPlane.writes.slice(5).sort()).toEqual(['exec-1: job job_1 completed', 'exec-1: task completed']);
    expect(controlPlane.updates.at(-1)).toMatchObject({ response: 'the answer', usage: { total_tokens: 3 } });
    expect(controlPlane.events.at(-1)).toMatchObject({
      event_type: 'message',
      data: { role: 'assistant', content: 'the answer', message_id: 'm1' },
    });
  });

  it('reports a failure with an error event, the message and what was used', async () => {
    const { controlPlane, outcome } = start(() => Promise.reject(new RuntimeFailure('it broke', usage)));
    expect(await outcome).toBe('failed');
    expect(controlPlane.events.at(-1)).toMatchObject({ event_type: 'error', data: { message: 'it broke' } });
    expect(controlPlane.updates.at(-1)).toMatchObject({
      status: 'failed',
      error_message: 'it broke',
      usage: { total_tokens: 3 },
    });
  });

  it('fails when its time is up', async () => {
    const { controlPlane, outcome } = start(untilEnded, wireLease({ config: { timeout_seconds: 0.02 } }));
    expect(await outcome).toBe('failed');
    expect(controlPlane.updates.at(-1)).toMatchObject({
      error_message: 'The execution did not finish within 0.02 seconds',
    });
  });

  it('does not wait for a runtime that will not end', async () => {
    const { controlPlane, outcome } = start(
      () => new Promise(() => undefined),
      wireLease({ config: { timeout_seconds: 0.01 } }),
    );
    expect(await outcome).toBe('failed');
    expect(controlPlane.writes).toContain('exec-1: patch failed');
  });

  it('writes nothing more after a write says the lease is lost', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.onWrite = (what) => {
      if (what === 'event tool_started') throw gone();
    };
    let ended = false;
    const { outcome } = start(
      async (task) => {
        task.publish('tool_started', {});
        task.publish('tool_completed', {});
        await untilEnded(task).catch(() => (ended = true));
        task.publish('late', {});
        return answering();
      },
      wireLease(),
      controlPlane,
    );
    expect(await outcome).toBe('abandoned');
    expect(ended).toBe(true);
    expect(controlPlane.writes).toEqual(['exec-1: patch running', 'exec-1: event run_started']);
  });

  it('does not begin when the execution was cancelled before', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.onWrite = () => {
      throw gone();
    };
    let ran = false;
    const { outcome } = start(async () => ((ran = true), answering()), wireLease(), controlPlane);
    expect(await outcome).toBe('abandoned');
    expect(ran).toBe(false);
  });

  it('writes nothing more when it is cancelled', async () => {
    const { controlPlane, execution, outcome } = start(async (task) => {
      execution.control.abandon('cancelled');
      return untilEnded(task).catch(answering);
    });
    expect(await outcome).toBe('abandoned');
    expect(controlPlane.writes.filter((write) => write.includes('completed') || write.includes('failed'))).toEqual([]);
  });

  it('goes on when one event, the task record or the job status is not taken', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.onWrite = (what) => {
      if (/^(task|job|event odd)/.test(what)) throw new ControlPlaneError('refused', 'too odd');
    };
    const odd = async (task: RuntimeTask) => (task.publish('odd', {}), answering());
    const { outcome } = start(odd, wireLease({ execution: { job_id: 'job_1' } }), controlPlane);
    expect(await outcome).toBe('completed');
    expect(controlPlane.writes.at(-1)).toBe('exec-1: patch completed');
  });

  it('stays completed when its job is gone at the end, and still keeps its record', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.onWrite = (what) => {
      if (what.startsWith('job')) throw gone();
    };
    controlPlane.createTask = async ({ executionId }, { status }, signal) => {
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      controlPlane.writes.push(`${executionId}: task ${status}`);
    };
    const { outcome } = start(answering, wireLease({ execution: { job_id: 'job_1' } }), controlPlane);
    expect(await outcome).toBe('completed');
    expect(controlPlane.writes.at(-1)).toBe('exec-1: task completed');
  });

  it.each([
    [{ team: { id: 't' } }, 'The runtime default of this worker does not run teams'],
    [{ workflow: { id: 'w' } }, 'The runtime default of this worker does not run workflows'],
    [{ agent: { runtime: 'other_code' } }, 'This worker has no runtime other_code; it has: default'],
  ])('refuses clearly what it cannot run: %j', async (parts, message) => {
    const { controlPlane, outcome } = start(answering, wireLease(parts));
    expect(await outcome).toBe('failed');
    expect(controlPlane.updates.at(-1)).toMatchObject({ status: 'failed', error_message: message });
  });

  it('shows no secret that comes in pieces, and holds back nothing else', async () => {
    const lease = wireLease({ environment: { DEPLOY_TOKEN: 'deploy-token-value' } });
    const chunk = (content: string, message_id = 'm1') => ({ message_id, content });
    const { controlPlane, outcome } = start(async (task) => {
      for (const content of ['use ', 'dep', 'loy-tok', 'en-value', ' to dep'])
        task.publish('message_chunk', chunk(content));
      task.publish('tool_started', { message_id: 'm1' });
      for (const content of ['worker-api', '-key, de']) task.publish('thinking_delta', chunk(content, 'm2'));
      return answering();
    }, lease);
    await outcome;
    const textOf = (type: string) =>
      controlPlane.events.flatMap(({ event_type, data }) => (event_type === type ? [data['content']] : [])).join('');
    expect(textOf('message_chunk')).toBe('use [redacted] to dep');
    expect(textOf('thinking_delta')).toBe('[redacted], de');
    const types = controlPlane.events.map(({ event_type }) => event_type);
    expect(types.lastIndexOf('message_chunk')).toBeLessThan(types.indexOf('tool_started'));
    expect(types.at(-1)).toBe('message');
  });

  it('shows no secret in events, answers, errors and logs', async () => {
    const lease = wireLease({ environment: { DEPLOY_TOKEN: 'deploy-token-value' } });
    const leaking = async (task: RuntimeTask) => {
      task.publish('tool_completed', { tool_output: 'uses deploy-token-value and worker-api-key' });
      return { response: 'it is deploy-token-value', messageId: 'm', usage };
    };
    const { controlPlane, outcome } = start(leaking, lease);
    await outcome;
    const logged: string[] = [];
    const logger = pino({}, { write: (line: string) => void logged.push(line) });
    const broken = () => Promise.reject(new Error('bad key deploy-token-value'));
    const failing = start(broken, lease, new FakeControlPlane(), logger);
    await failing.outcome;
    const shown = JSON.stringify([
      controlPlane.events,
      controlPlane.updates,
      failing.controlPlane.events,
      failing.controlPlane.updates,
      logged,
    ]);
    expect(logged.join('')).toContain('the runtime broke');
    expect(shown).not.toMatch(/deploy-token-value|worker-api-key|lease-token-1/);
    expect(shown).toContain('[redacted]');
  });
});
