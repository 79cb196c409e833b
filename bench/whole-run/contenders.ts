import { freePort } from '../../tools/provision/free-port.js';
import { ask } from '../ipc.js';
import { jsonClient } from '../json-client.js';
import type { BenchPlatform, Build } from '../platform.js';
import { cpuMs, startProcess, stopProcess } from '../processes.js';
import { StoreCounters, type StoreWork } from './store-work.js';
import { monotonicMs, type Tally } from './tally.js';

const TEXT = 'x'.repeat(300);

/** A measured system: accepts triggers and runs them on a worker process. */
export interface Contender {
  /** Resolves when the trigger is accepted. */
  readonly trigger: () => Promise<unknown>;
  /** Number of executions finished since the last tally. */
  readonly finished: () => Promise<number>;
  readonly tally: () => Promise<Tally>;
  /** CPU time that the control plane has used, without its worker, in milliseconds. */
  readonly cpuMs: () => Promise<number>;
  readonly storeWork: () => Promise<StoreWork>;
  readonly stop: () => Promise<void>;
}

/** Starts the baseline of a whole run (`bench/baseline/whole-run.ts`) on the stores of this build. */
export async function startWholeRunBaseline({ databaseUrl, redisUrl }: BenchPlatform): Promise<Contender> {
  const counters = await StoreCounters.open({ databaseUrl, redisUrl });
  const ports = { control: await freePort(), worker: await freePort() };
  const at = (port: number): string => `http://127.0.0.1:${port}`;
  const worker = await startProcess({
    entry: 'bench/baseline/whole-run-worker',
    env: { PORT: String(ports.worker) },
    ready: /whole-run baseline worker ready/,
  });
  const control = await startProcess({
    entry: 'bench/baseline/whole-run',
    env: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      PORT: String(ports.control),
      WORKER_URL: at(ports.worker),
    },
    ready: /whole-run baseline ready/,
  });
  const send = jsonClient(at(ports.control));
  return {
    trigger: () => send('POST', '/trigger', { sentAt: monotonicMs(), text: TEXT }),
    finished: () => ask(control, 'finished'),
    tally: () => ask(control, 'tally'),
    cpuMs: () => cpuMs(control),
    storeWork: () => counters.read(),
    stop: async () => {
      await counters.close();
      await stopProcess(control);
      await stopProcess(worker);
    },
  };
}

/** A job on a separate queue, and the worker process of that queue, which sends its reports singly or in common. */
export async function startPlatformRuns(build: Build, reports: 'single' | 'shared'): Promise<Contender> {
  const { url, key, call } = build;
  const counters = await StoreCounters.open(build);
  const name = `bench-${reports}-reports`;
  const [environment] = await call<{ id: string }[]>('GET', '/api/v1/environments');
  if (environment === undefined) throw new Error('There is no environment');
  await call('POST', `/api/v1/environments/${environment.id}/worker-queues`, { name });
  const agent = await call<{ id: string }>('POST', '/api/v1/agents', { name, system_prompt: 'You are fast.' });
  const job = await call<{ id: string }>('POST', '/api/v1/jobs', {
    name,
    trigger_type: 'manual',
    planning_mode: 'predefined_agent',
    entity_type: 'agent',
    entity_id: agent.id,
    executor_type: 'specific_queue',
    worker_queue_name: name,
    prompt_template: '{{sent_at}} {{text}}',
  });
  const worker = await startProcess({
    entry: 'bench/whole-run/rest-worker',
    env: {
      CONTROL_PLANE_URL: url,
      WORKER_API_KEY: key,
      QUEUE_NAME: name,
      ...(reports === 'shared' ? { SHARE_REPORTS: 'true' } : {}),
    },
    ready: /worker ready/,
  });
  const send = jsonClient(url, { Authorization: `Bearer ${key}` });
  return {
    trigger: () =>
      send('POST', `/api/v1/jobs/${job.id}/trigger`, { parameters: { sent_at: String(monotonicMs()), text: TEXT } }),
    finished: () => ask(worker, 'finished'),
    tally: () => ask(worker, 'tally'),
    cpuMs: build.cpuMs,
    storeWork: () => counters.read(),
    stop: async () => {
      await counters.close();
      await stopProcess(worker);
    },
  };
}
