import { eventually } from '@app/testing';
import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '@app/kernel';
import { createLogger, type Logger } from '@app/observability';
import { pino } from 'pino';
import { ControlPlaneError } from '../control-plane/control-plane.errors.js';
import { ExecutionRun } from './execution-run.js';
import { readLease } from '../control-plane/lease.js';
import { RuntimeRegistry } from '../runtimes/registry.js';
import { RuntimeFailure, type Runtime, type RuntimeTask, type RuntimeUsage } from '../runtimes/runtime.js';
import { FakeControlPlane, goneError } from '../testing/fake-control-plane.js';
import { NO_RETRIES, WORKBENCH } from '../testing/workbench.js';
import { wireLease } from '../testing/wire-lease.js';

const usage: RuntimeUsage = {
  prompt_tokens: 1,
  completion_tokens: 2,
  total_tokens: 3,
  model: 'm',
  requests: 1,
  tool_calls: 0,
};
const respond = async () => ({ response: 'the response', messageId: 'm1', usage });
const waitForAbort = (task: RuntimeTask) =>
  new Promise<never>((_resolve, reject) => {
    const onAbort = () => reject(new Error('aborted'));
    if (task.signal.aborted) onAbort();
    else task.signal.addEventListener('abort', onAbort);
  });

function start(
  run: Runtime['run'],
  lease = wireLease(),
  controlPlane = new FakeControlPlane(),
  logger: Logger = createLogger('test'),
) {
  const read = readLease(lease, Date.now());
  if (read === null) throw new Error('invalid lease');
  const execution = new ExecutionRun(read, {
    controlPlane,
    runtimes: new RuntimeRegistry([{ name: 'default', run }], {
      team: { name: 'team', run },
      workflow: { name: 'workflow', run },
    }),
    gateway: { url: 'http://gateway.invalid', apiKey: null, ...NO_RETRIES },
    ...WORKBENCH,
    secrets: ['worker-api-key'],
    workerId: 'w1',
    clock: new SystemClock(),
    logger,
  });
  return { controlPlane, execution, outcome: execution.execute() };
}

describe('ExecutionRun', () => {
  it('reports running, its events, then completed with the response and the usage', async () => {
    const { controlPlane, outcome } = start(
      async (task) => {
        task.publish('message_chunk', { message_id: 'm1', content: 'the response' });
        return respond();
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
    expect(controlPlane.updates.at(-1)).toMatchObject({ response: 'the response', usage: { total_tokens: 3 } });
    expect(controlPlane.events.at(-1)).toMatchObject({
      event_type: 'message',
      data: { role: 'assistant', content: 'the response', message_id: 'm1' },
    });
  });

  it('reports a failure with an error event, the message and the usage', async () => {
    const { controlPlane, outcome } = start(() => Promise.reject(new RuntimeFailure('model unavailable', usage)));
    expect(await outcome).toBe('failed');
    expect(controlPlane.events.at(-1)).toMatchObject({ event_type: 'error', data: { message: 'model unavailable' } });
    expect(controlPlane.updates.at(-1)).toMatchObject({
      status: 'failed',
      error_message: 'model unavailable',
      usage: { total_tokens: 3 },
    });
  });

  it('reports its result if the folder of its files cannot be read', async () => {
    const { controlPlane, outcome } = start(async ({ workspace }) => {
      await rm(await workspace.folder(), { recursive: true });
      return respond();
    });
    expect(await outcome).toBe('completed');
    expect(controlPlane.updates.at(-1)).toMatchObject({ status: 'completed', response: 'the response' });
    const leftOut = [{ name: '.', reason: 'it cannot be read' }];
    expect(controlPlane.events.at(-1)).toMatchObject({ event_type: 'metadata', data: { files_left_out: leftOut } });
  });

  it('reports its result and the files that were skipped before an upload failed', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.onWrite = (what) => {
      if (what === 'file z') throw new Error('broken');
    };
    const run: Runtime['run'] = async ({ workspace }) => {
      const folder = await workspace.folder();
      const names = [Buffer.from('odd-\xff', 'latin1'), Buffer.from('z')];
      for (const name of names) await writeFile(Buffer.concat([Buffer.from(`${folder}/`), name]), '');
      return respond();
    };
    const { outcome } = start(run, wireLease(), controlPlane);
    expect(await outcome).toBe('completed');
    expect(controlPlane.updates.at(-1)).toMatchObject({ status: 'completed', response: 'the response' });
    const leftOut = [{ name: 'odd-\uFFFD', reason: 'its name is not UTF-8' }];
    expect(controlPlane.events.at(-1)).toMatchObject({ event_type: 'metadata', data: { files_left_out: leftOut } });
  });

  it('fails when it exceeds its time-out', async () => {
    const { controlPlane, outcome } = start(waitForAbort, wireLease({ timeout_seconds: 0.02 }));
    expect(await outcome).toBe('failed');
    expect(controlPlane.updates.at(-1)).toMatchObject({
      error_message: 'The execution did not finish within 0.02 s',
      failure_reason: 'timeout',
    });
  });

  it('writes the task record of a failed attempt before its report, because the report may end the lease', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.repeatsFailures = true;
    const { outcome } = start(() => Promise.reject(new RuntimeFailure('down', usage)), wireLease(), controlPlane);
    expect(await outcome).toBe('failed');
    expect(controlPlane.updates.at(-1)).toMatchObject({ status: 'failed', failure_reason: 'failed' });
    expect(controlPlane.writes.slice(-3)).toEqual([
      'exec-1: event error',
      'exec-1: task failed',
      'exec-1: patch failed',
    ]);
  });

  it('does not wait for a runtime that ignores its signal', async () => {
    const { controlPlane, outcome } = start(() => new Promise(() => undefined), wireLease({ timeout_seconds: 0.01 }));
    expect(await outcome).toBe('failed');
    expect(controlPlane.writes).toContain('exec-1: patch failed');
  });

  it('writes nothing after a write is rejected because the lease is lost', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.onWrite = (what) => {
      if (what === 'event tool_started') throw goneError();
    };
    let stopped = false;
    const { outcome } = start(
      async (task) => {
        task.publish('tool_started', {});
        task.publish('tool_completed', {});
        await waitForAbort(task).catch(() => (stopped = true));
        task.publish('after_abort', {});
        return respond();
      },
      wireLease(),
      controlPlane,
    );
    expect(await outcome).toBe('abandoned');
    expect(stopped).toBe(true);
    expect(controlPlane.writes).toEqual(['exec-1: patch running', 'exec-1: event run_started']);
  });

  it('does not start the runtime of an execution that was cancelled before its start was reported', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.onWrite = () => {
      throw goneError();
    };
    let started = false;
    const { outcome } = start(async () => ((started = true), respond()), wireLease(), controlPlane);
    expect(await outcome).toBe('abandoned');
    expect(started).toBe(false);
  });

  it('writes nothing after it is cancelled', async () => {
    const { controlPlane, execution, outcome } = start(async (task) => {
      execution.control.abandon('cancelled');
      return waitForAbort(task).catch(respond);
    });
    expect(await outcome).toBe('abandoned');
    expect(controlPlane.writes.filter((write) => write.includes('completed') || write.includes('failed'))).toEqual([]);
  });

  it('completes when an event, the task record or the job status is rejected', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.onWrite = (what) => {
      if (/^(task|job|event rejected)/.test(what)) throw new ControlPlaneError('refused', 'unknown event type');
    };
    const run = async (task: RuntimeTask) => (task.publish('rejected', {}), respond());
    const { outcome } = start(run, wireLease({ execution: { job_id: 'job_1' } }), controlPlane);
    expect(await outcome).toBe('completed');
    expect(controlPlane.writes.at(-1)).toBe('exec-1: patch completed');
  });

  it.each(['refused', 'broken'] as const)('reports a short failure if its report fails (kind: %s)', async (kind) => {
    const controlPlane = new FakeControlPlane();
    controlPlane.onWrite = (what) => {
      if (what === 'patch completed') throw new ControlPlaneError(kind, 'patch execution failed with 413: too large');
    };
    const { outcome } = start(respond, wireLease({ execution: { job_id: 'job_1' } }), controlPlane);
    expect(await outcome).toBe('failed');
    expect(controlPlane.updates.at(-1)).toEqual({
      status: 'failed',
      error_message: 'The result could not be stored: patch execution failed with 413: too large',
    });
    const afterwards = ['exec-1: job job_1 failed', 'exec-1: task failed'];
    expect(controlPlane.writes.slice(-2).sort()).toEqual(afterwards);
  });

  it('reports only what the control plane accepts: no NUL, no unpaired surrogate, no text that is too large', async () => {
    const { controlPlane, outcome } = start(async (task) => {
      task.publish('tool_completed', { tool_output: 'a\0b' });
      return { response: `\ud800${'x'.repeat(2_000_000)}`, messageId: 'm', usage };
    });
    expect(await outcome).toBe('completed');
    expect(controlPlane.events.map(({ data }) => data['tool_output'])).toContain('a\ufffdb');
    const { response } = controlPlane.updates.at(-1) ?? {};
    expect(response).toMatch(/^\ufffdx+\n\[cut: \d+ more characters\]$/);
    expect(response?.length).toBeLessThan(1_000_000);
    const failing = start(() => Promise.reject(new RuntimeFailure(`\0${'y'.repeat(100_000)}`)));
    await failing.outcome;
    expect(failing.controlPlane.updates.at(-1)?.error_message).toMatch(/^\ufffdy{16000,17000}\n\[cut: /);
  });

  it('stays completed and writes its task record when the job no longer exists', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.onWrite = (what) => {
      if (what.startsWith('job')) throw goneError();
    };
    controlPlane.createTask = async ({ executionId }, { status }, signal) => {
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      controlPlane.writes.push(`${executionId}: task ${status}`);
    };
    const { outcome } = start(respond, wireLease({ execution: { job_id: 'job_1' } }), controlPlane);
    expect(await outcome).toBe('completed');
    expect(controlPlane.writes.at(-1)).toBe('exec-1: task completed');
  });

  it.each([
    [
      { agent: { runtime: 'other_code' } },
      'This worker has no runtime other_code; available runtimes: default (setting WORKER_RUNTIMES)',
    ],
  ])('fails an execution that no runtime supports: %j', async (parts, message) => {
    const { controlPlane, outcome } = start(respond, wireLease(parts));
    expect(await outcome).toBe('failed');
    expect(controlPlane.updates.at(-1)).toMatchObject({ status: 'failed', error_message: message });
  });

  it('redacts secrets that are split over chunks, and publishes all other text', async () => {
    const lease = wireLease({ environment: { DEPLOY_TOKEN: 'deploy-token-value' } });
    const chunk = (content: string, message_id = 'm1') => ({ message_id, content });
    const { controlPlane, outcome } = start(async (task) => {
      for (const content of ['use ', 'dep', 'loy-tok', 'en-value', ' to dep'])
        task.publish('message_chunk', chunk(content));
      task.publish('tool_started', { message_id: 'm1' });
      for (const content of ['worker-api', '-key, de']) task.publish('thinking_delta', chunk(content, 'm2'));
      return respond();
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

  it('redacts secrets in events, responses, errors and logs', async () => {
    const lease = wireLease({ environment: { DEPLOY_TOKEN: 'deploy-token-value' } });
    const leakSecrets = async (task: RuntimeTask) => {
      task.publish('tool_completed', { tool_output: 'uses deploy-token-value and worker-api-key' });
      return { response: 'it is deploy-token-value', messageId: 'm', usage };
    };
    const { controlPlane, outcome } = start(leakSecrets, lease);
    await outcome;
    const logged: string[] = [];
    const logger = pino({}, { write: (line: string) => void logged.push(line) });
    const fail = () => Promise.reject(new Error('bad key deploy-token-value'));
    const failing = start(fail, lease, new FakeControlPlane(), logger);
    await failing.outcome;
    const published = JSON.stringify([
      controlPlane.events,
      controlPlane.updates,
      failing.controlPlane.events,
      failing.controlPlane.updates,
      logged,
    ]);
    expect(logged.join('')).toContain('unexpected error in the runtime');
    expect(failing.controlPlane.updates.at(-1)?.error_message).toBe('The worker failed unexpectedly; its log says why');
    expect(published).not.toMatch(/deploy-token-value|worker-api-key|lease-token-1/);
    expect(published).toContain('[redacted]');
  });

  it('reports what a cancelled run used, and the message that was interrupted, without the ended lease', async () => {
    const { controlPlane, execution, outcome } = start(async (task) => {
      await waitForAbort(task).catch(() => undefined);
      task.conversation.append([{ role: 'assistant', content: 'The ans', message_id: 'm1', partial: true }]);
      throw new RuntimeFailure('The run was aborted', usage);
    });
    await eventually(() => expect(controlPlane.writes).toContain('exec-1: event run_started'));
    execution.control.abandon('cancelled');
    expect(await outcome).toBe('abandoned');
    expect(controlPlane.updates.at(-1)).toMatchObject({ usage: { total_tokens: 3 } });
    expect(controlPlane.updates.at(-1)).not.toHaveProperty('status');
    expect(controlPlane.messages).toContainEqual(expect.objectContaining({ content: 'The ans', partial: true }));
  });
});
