import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '@app/kernel';
import { createLogger, type Logger } from '@app/observability';
import { pino } from 'pino';
import { ControlPlaneError } from './control-plane.errors.js';
import { heartbeatDelay } from './heartbeat.js';
import { RuntimeRegistry } from './runtimes/registry.js';
import type { RuntimeTask } from './runtimes/runtime.js';
import { FakeControlPlane, gone } from './testing/fake-control-plane.js';
import { wireLease } from './testing/wire-lease.js';
import type { WorkerConfig } from './worker.config.js';
import { Worker } from './worker.js';

const config: WorkerConfig = {
  controlPlaneUrl: 'http://control-plane.invalid',
  apiKey: 'worker-api-key',
  queue: 'default',
  environment: 'default',
  concurrency: 2,
  pollWaitSeconds: 1,
  shutdownGraceMs: 5_000,
};

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never came true: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** A worker whose runs end when the test says so, by execution id. */
function workerOf(
  controlPlane: FakeControlPlane,
  more: Partial<WorkerConfig> = {},
  logger: Logger = createLogger('test'),
) {
  const tasks = new Map<string, { task: RuntimeTask; finish: () => void }>();
  const run = (task: RuntimeTask) =>
    new Promise<{ response: string; messageId: string; usage: never }>((resolve, reject) => {
      const finish = () => resolve({ response: 'ok', messageId: 'm', usage: {} as never });
      tasks.set(task.lease.executionId, { task, finish });
      task.signal.addEventListener('abort', () => reject(new Error('ended')));
    });
  const worker = new Worker(
    { ...config, ...more },
    {
      controlPlane,
      runtimes: new RuntimeRegistry([{ name: 'default', run }]),
      gateway: { url: null, apiKey: null },
      clock: new SystemClock(),
      logger,
      onReady: () => undefined,
    },
  );
  const ended = worker.run();
  ended.catch(() => undefined);
  return { worker, ended, tasks };
}

const lease = (id: string, token = `token-of-${id}`) => wireLease({ lease_token: token, execution: { id } });

describe('a worker', () => {
  it('never asks for more work than it has free slots', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = workerOf(controlPlane);
    await until(() => controlPlane.polledFor.length === 2);
    controlPlane.offer(lease('b'), lease('c'));
    await until(() => tasks.size === 2);
    expect(controlPlane.polledFor).toEqual([2, 1]);
    tasks.get('a')?.finish();
    await until(() => tasks.has('c'));
    expect(controlPlane.polledFor).toEqual([2, 1, 1]);
    worker.stop();
    for (const { finish } of tasks.values()) finish();
    await ended;
  });

  it('finishes what runs when it is stopped, takes no more, and says goodbye', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = workerOf(controlPlane);
    await until(() => tasks.size === 1);
    worker.stop();
    controlPlane.offer(lease('late'));
    tasks.get('a')?.finish();
    await ended;
    expect(controlPlane.writes).toContain('a: patch completed');
    expect([...tasks.keys()]).toEqual(['a']);
    expect(controlPlane.disconnections).toEqual([{ reason: 'shutdown', exit_code: 0 }]);
  });

  it('hands back what does not finish in the grace time, without another write', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = workerOf(controlPlane, { shutdownGraceMs: 20 });
    await until(() => controlPlane.writes.includes('a: event run_started'));
    worker.stop();
    await ended;
    expect(tasks.get('a')?.task.signal.aborted).toBe(true);
    expect(controlPlane.writes).toEqual(['a: patch running', 'a: event run_started']);
    expect(controlPlane.disconnections).toHaveLength(1);
  });

  it('keeps beating while it finishes', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = workerOf(controlPlane);
    await until(() => tasks.size === 1);
    worker.stop();
    const beats = controlPlane.beats.length;
    await until(() => controlPlane.beats.length > beats + 1);
    expect(controlPlane.beats.at(-1)).toBe(true);
    tasks.get('a')?.finish();
    await ended;
  });

  it('is cut short by a second stop', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = workerOf(controlPlane, { shutdownGraceMs: 3_600_000 });
    await until(() => tasks.size === 1);
    worker.stop();
    worker.stop();
    await ended;
    expect(controlPlane.disconnections).toHaveLength(1);
  });

  it('stops a run the control plane cancels, and takes new work in its place', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = workerOf(controlPlane, { concurrency: 1 });
    await until(() => tasks.size === 1);
    controlPlane.commands = [{ command: 'cancel', executionId: 'a' }];
    controlPlane.offer(lease('b'));
    await until(() => tasks.has('b'));
    expect(controlPlane.writes.filter((write) => write.startsWith('a: patch'))).toEqual(['a: patch running']);
    worker.stop();
    tasks.get('b')?.finish();
    await ended;
  });

  it('pauses and resumes a run on command', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = workerOf(controlPlane);
    await until(() => tasks.size === 1);
    controlPlane.commands = [{ command: 'pause', executionId: 'a' }];
    await until(() => controlPlane.commands.length === 0);
    await new Promise((resolve) => setImmediate(resolve));
    const passed = tasks.get('a')?.task.whilePaused();
    controlPlane.commands = [{ command: 'resume', executionId: 'a' }];
    await passed;
    worker.stop();
    tasks.get('a')?.finish();
    await ended;
  });

  it('starts anew when the control plane no longer knows it, and drops its runs', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = workerOf(controlPlane);
    await until(() => tasks.size === 1);
    let once = true;
    controlPlane.onCall = (what) => {
      if (what === 'heartbeat' && once) {
        once = false;
        throw gone();
      }
    };
    await until(() => controlPlane.starts === 2);
    expect(tasks.get('a')?.task.signal.aborted).toBe(true);
    worker.stop();
    await ended;
  });

  it('keeps trying a start that is refused for what may be mended, the first as well as a later one', async () => {
    const controlPlane = new FakeControlPlane();
    const refusals = [new ControlPlaneError('gone', 'start was answered 404: There is no worker queue default')];
    let heartbeatGone = true;
    controlPlane.onCall = (what) => {
      const refusal = what === 'start' ? refusals.shift() : undefined;
      if (refusal !== undefined) throw refusal;
      if (what !== 'heartbeat' || !heartbeatGone) return;
      heartbeatGone = false;
      refusals.push(
        new ControlPlaneError('gone', 'start was answered 409: The worker queue has its 1 workers already'),
      );
      throw gone();
    };
    const logged: Record<string, unknown>[] = [];
    const logger = pino({}, { write: (line: string) => void logged.push(JSON.parse(line) as never) });
    const { worker, ended } = workerOf(controlPlane, {}, logger);
    await until(() => controlPlane.starts === 2);
    worker.stop();
    await ended;
    const told = logged.filter(({ msg }) => /refuses|no longer known/.test(String(msg)));
    expect(told).toMatchObject([
      { queue: 'default', reason: expect.stringContaining('There is no worker queue'), failures: 1 },
      { msg: 'no longer known, starting anew', worker_id: 'worker-1' },
      { queue: 'default', reason: expect.stringContaining('has its 1 workers already'), failures: 1 },
    ]);
  });

  it('says no goodbye for a session that is over', async () => {
    const controlPlane = new FakeControlPlane();
    let refused = 0;
    controlPlane.onCall = (what) => {
      if (what === 'heartbeat' || (what === 'start' && controlPlane.starts === 1)) {
        if (what === 'start') refused += 1;
        throw gone();
      }
    };
    const { worker, ended } = workerOf(controlPlane);
    await until(() => refused === 1);
    worker.stop();
    await ended;
    expect(controlPlane.disconnections).toEqual([]);
  });

  it('gives up when its key is refused', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.onCall = () => {
      throw new ControlPlaneError('forbidden', 'this key is revoked');
    };
    await expect(workerOf(controlPlane).ended).rejects.toThrow('this key is revoked');
  });

  it('drops the older of two leases of one execution', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a', 'first-token'));
    const { worker, ended, tasks } = workerOf(controlPlane);
    await until(() => tasks.size === 1);
    const first = tasks.get('a');
    controlPlane.offer(lease('a', 'second-token'));
    await until(() => tasks.get('a') !== first);
    expect(first?.task.signal.aborted).toBe(true);
    tasks.get('a')?.finish();
    worker.stop();
    await ended;
    expect(controlPlane.writes).toContain('a: patch completed');
  });
});

describe('heartbeatDelay', () => {
  it('is half of what is asked for, or a third of the shortest lease, but never a storm', () => {
    expect(heartbeatDelay(60, null)).toBe(30_000);
    expect(heartbeatDelay(60, 9_000)).toBe(3_000);
    expect(heartbeatDelay(6, 90_000)).toBe(3_000);
    expect(heartbeatDelay(60, 90_000)).toBe(5_000);
    expect(heartbeatDelay(10, 1)).toBe(100);
  });
});
