import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '@app/kernel';
import { createLogger, type Logger } from '@app/observability';
import { pino } from 'pino';
import { ControlPlaneError } from './control-plane/control-plane.errors.js';
import { heartbeatDelay } from './run/heartbeat.js';
import { RuntimeRegistry } from './runtimes/registry.js';
import type { RuntimeTask } from './runtimes/runtime.js';
import { FakeControlPlane, goneError } from './testing/fake-control-plane.js';
import { WORKBENCH } from './testing/workbench.js';
import { wireLease } from './testing/wire-lease.js';
import type { WorkerConfig } from './worker.config.js';
import { Worker } from './worker.js';

const config: WorkerConfig = {
  controlPlaneUrl: 'http://control-plane.invalid',
  apiKey: 'worker-api-key',
  queue: 'default',
  environment: 'default',
  runner: null,
  concurrency: 2,
  pollWaitSeconds: 1,
  shutdownGraceMs: 5_000,
  modelRetries: 0,
  modelRetryMaxDelayMs: 1,
};

/** Resolves when the condition holds. */
async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`condition not met within 30 s: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Starts a worker. Its runs, by execution id, complete when the test calls `finish`. */
function startWorker(
  controlPlane: FakeControlPlane,
  overrides: Partial<WorkerConfig> = {},
  logger: Logger = createLogger('test'),
) {
  const tasks = new Map<string, { task: RuntimeTask; finish: () => void }>();
  const run = (task: RuntimeTask) =>
    new Promise<{ response: string; messageId: string; usage: never }>((resolve, reject) => {
      const finish = () => resolve({ response: 'ok', messageId: 'm', usage: {} as never });
      tasks.set(task.lease.executionId, { task, finish });
      task.signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  const reported: string[] = [];
  const worker = new Worker(
    { ...config, ...overrides },
    {
      controlPlane,
      runtimes: new RuntimeRegistry([{ name: 'default', run }], {
        team: { name: 'team', run },
        workflow: { name: 'workflow', run },
      }),
      ...WORKBENCH,
      gateway: { url: null, apiKey: null },
      clock: new SystemClock(),
      logger,
      onReady: () => undefined,
      onRefused: (reason) => void reported.push(reason),
    },
  );
  const ended = worker.run();
  ended.catch(() => undefined);
  return { worker, ended, tasks, reported };
}

const lease = (id: string, token = `token-of-${id}`) => wireLease({ lease_token: token, execution: { id } });

describe('Worker', () => {
  it('polls for as many executions as it has free slots', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = startWorker(controlPlane);
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

  it('finishes its runs when it is stopped, accepts no more, and disconnects', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = startWorker(controlPlane);
    await until(() => tasks.size === 1);
    worker.stop();
    controlPlane.offer(lease('late'));
    tasks.get('a')?.finish();
    await ended;
    expect(controlPlane.writes).toContain('a: patch completed');
    expect([...tasks.keys()]).toEqual(['a']);
    expect(controlPlane.disconnections).toEqual([{ reason: 'shutdown', exit_code: 0 }]);
  });

  it('abandons runs that do not finish within the grace time, without another write', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = startWorker(controlPlane, { shutdownGraceMs: 20 });
    await until(() => controlPlane.writes.includes('a: event run_started'));
    worker.stop();
    await ended;
    expect(tasks.get('a')?.task.signal.aborted).toBe(true);
    expect(controlPlane.writes).toEqual(['a: patch running', 'a: event run_started']);
    expect(controlPlane.disconnections).toHaveLength(1);
  });

  it('executes pushed commands without a heartbeat, and reads changed settings with one', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offersWebSocket = true;
    controlPlane.heartbeatInterval = 3600;
    controlPlane.offer(lease('a'), lease('b'));
    const { worker, ended, tasks } = startWorker(controlPlane);
    await until(() => tasks.size === 2);
    controlPlane.push({ command: 'cancel', executionId: 'a' });
    controlPlane.push({ command: 'unheard-of', executionId: 'b' });
    controlPlane.push({ command: 'cancel', executionId: 'unknown' });
    await until(() => tasks.get('a')?.task.signal.aborted === true);
    expect(tasks.get('b')?.task.signal.aborted).toBe(false);
    tasks.get('b')?.finish();
    await until(() => controlPlane.writes.includes('b: patch completed'));
    expect(controlPlane.heartbeats).toEqual([]);
    controlPlane.push({ command: 'reload', executionId: null });
    await until(() => controlPlane.heartbeats.length === 1);
    worker.stop();
    await ended;
  });

  it('continues without the WebSocket if it is refused', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offersWebSocket = true;
    controlPlane.onCall = (what) => {
      if (what === 'receiveCommands') throw goneError();
    };
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = startWorker(controlPlane);
    await until(() => tasks.size === 1);
    controlPlane.commands = [{ command: 'cancel', executionId: 'a' }];
    await until(() => tasks.get('a')?.task.signal.aborted === true);
    worker.stop();
    await ended;
  });

  it('lists its active runs in each heartbeat, but no run that ended without reporting its final state', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('kept'), lease('refused'));
    controlPlane.onWrite = (what) => {
      if (/^patch (completed|failed)/.test(what)) throw new ControlPlaneError('refused', 'refused');
    };
    const { worker, ended, tasks } = startWorker(controlPlane);
    await until(() => tasks.size === 2 && controlPlane.heartbeats.at(-1)?.length === 2);
    expect(controlPlane.heartbeats.at(-1)).toEqual(['kept', 'refused']);
    tasks.get('refused')?.finish();
    await until(() => controlPlane.heartbeats.at(-1)?.length === 1);
    expect(controlPlane.heartbeats.at(-1)).toEqual(['kept']);
    tasks.get('kept')?.finish();
    worker.stop();
    await ended;
  });

  it('keeps sending heartbeats while its runs finish', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = startWorker(controlPlane);
    await until(() => tasks.size === 1);
    worker.stop();
    const count = controlPlane.heartbeats.length;
    await until(() => controlPlane.heartbeats.length > count + 1);
    expect(controlPlane.heartbeats.at(-1)).toEqual(['a']);
    tasks.get('a')?.finish();
    await ended;
  });

  it('disconnects at once on a second stop', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = startWorker(controlPlane, { shutdownGraceMs: 3_600_000 });
    await until(() => tasks.size === 1);
    worker.stop();
    worker.stop();
    await ended;
    expect(controlPlane.disconnections).toHaveLength(1);
  });

  it('aborts a run that the control plane cancels, and starts another one', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = startWorker(controlPlane, { concurrency: 1 });
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
    const { worker, ended, tasks } = startWorker(controlPlane);
    await until(() => tasks.size === 1);
    controlPlane.commands = [{ command: 'pause', executionId: 'a' }];
    await until(() => controlPlane.commands.length === 0);
    await new Promise((resolve) => setImmediate(resolve));
    const resumed = tasks.get('a')?.task.waitWhilePaused();
    controlPlane.commands = [{ command: 'resume', executionId: 'a' }];
    await resumed;
    worker.stop();
    tasks.get('a')?.finish();
    await ended;
  });

  it('abandons its runs and starts a new session when the control plane no longer knows it', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a'));
    const { worker, ended, tasks } = startWorker(controlPlane);
    await until(() => tasks.size === 1);
    let once = true;
    controlPlane.onCall = (what) => {
      if (what === 'heartbeat' && once) {
        once = false;
        throw goneError();
      }
    };
    await until(() => controlPlane.starts === 2);
    expect(tasks.get('a')?.task.signal.aborted).toBe(true);
    worker.stop();
    await ended;
  });

  it('retries a start that is refused because of the state of the queue, in the first and in later sessions', async () => {
    const controlPlane = new FakeControlPlane();
    const missing = 'start failed with 404: There is no worker queue default';
    const refusals = [1, 2].map(() => new ControlPlaneError('gone', missing));
    let heartbeatGone = true;
    controlPlane.onCall = (what) => {
      const refusal = what === 'start' ? refusals.shift() : undefined;
      if (refusal !== undefined) throw refusal;
      if (what !== 'heartbeat' || !heartbeatGone) return;
      heartbeatGone = false;
      refusals.push(
        new ControlPlaneError(
          'gone',
          'start failed with 409: The worker queue already has its maximum number of workers: 1',
        ),
      );
      throw goneError();
    };
    const logged: Record<string, unknown>[] = [];
    const logger = pino({}, { write: (line: string) => void logged.push(JSON.parse(line) as never) });
    const { worker, ended, reported } = startWorker(controlPlane, {}, logger);
    await until(() => controlPlane.starts === 2);
    worker.stop();
    await ended;
    // The second refusal for the same reason is not repeated.
    expect(reported).toEqual([missing, expect.stringContaining('its maximum number of workers: 1')]);
    const warnings = logged.filter(({ msg }) => /start refused|session lost/.test(String(msg)));
    expect(warnings).toMatchObject([
      { queue: 'default', reason: expect.stringContaining('There is no worker queue'), failures: 1 },
      { msg: 'session lost, starting a new one', worker_id: 'worker-1' },
      {
        queue: 'default',
        reason: expect.stringContaining('already has its maximum number of workers: 1'),
        failures: 1,
      },
    ]);
  });

  it('does not disconnect a session that is over', async () => {
    const controlPlane = new FakeControlPlane();
    let refused = 0;
    controlPlane.onCall = (what) => {
      if (what === 'heartbeat' || (what === 'start' && controlPlane.starts === 1)) {
        if (what === 'start') refused += 1;
        throw goneError();
      }
    };
    const { worker, ended } = startWorker(controlPlane);
    await until(() => refused === 1);
    worker.stop();
    await ended;
    expect(controlPlane.disconnections).toEqual([]);
  });

  it('rejects when its key is refused', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.onCall = () => {
      throw new ControlPlaneError('forbidden', 'this key is revoked');
    };
    await expect(startWorker(controlPlane).ended).rejects.toThrow('this key is revoked');
  });

  it('abandons the older of two leases of one execution', async () => {
    const controlPlane = new FakeControlPlane();
    controlPlane.offer(lease('a', 'first-token'));
    const { worker, ended, tasks } = startWorker(controlPlane);
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
  it('is half of the interval of the queue or a third of the shortest lease, within its bounds', () => {
    expect(heartbeatDelay(60, null)).toBe(30_000);
    expect(heartbeatDelay(60, 3_000)).toBe(1_000);
    expect(heartbeatDelay(2, 90_000)).toBe(1_000);
    expect(heartbeatDelay(60, 90_000)).toBe(1_500);
    expect(heartbeatDelay(10, 1)).toBe(100);
  });
});
