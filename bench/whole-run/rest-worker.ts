// A worker process that speaks REST and does nothing else: leases executions, reports each as running and then as
// completed. Two polls wait concurrently, each for up to 25 executions. With SHARE_REPORTS, reports are sent in common as
// the reference worker sends them.
import { setTimeout as sleep } from 'node:timers/promises';
import { SharedReports, type ReportOutcome } from '../../apps/worker/src/control-plane/shared-reports.js';
import { jsonClient } from '../json-client.js';
import { keepTally, monotonicMs } from './tally.js';

const POLLS = 2;
const RUNS_PER_POLL = 25;
const WAIT_SECONDS = 20;
const HEARTBEAT_MS = 15_000;

interface Lease {
  readonly lease_token: string;
  readonly execution: { readonly id: string; readonly prompt: string };
}

interface Update {
  readonly status: 'running' | 'completed';
  readonly response?: string;
}

const { CONTROL_PLANE_URL = '', WORKER_API_KEY = '', QUEUE_NAME = '', SHARE_REPORTS } = process.env;
const send = jsonClient(CONTROL_PLANE_URL, { Authorization: `Bearer ${WORKER_API_KEY}` });
const tally = keepTally();
const registration = { worker_queue_name: QUEUE_NAME, hostname: 'bench' };
const { worker_id: workerId } = await send<{ worker_id: string }>('POST', '/api/v1/workers/register', registration);
setInterval(() => void send('POST', `/api/v1/workers/${workerId}/heartbeat`, {}), HEARTBEAT_MS);
const shared = new SharedReports(async (reports) => {
  const path = `/api/v1/workers/${workerId}/reports`;
  return (await send<{ outcomes: ReportOutcome[] }>('POST', path, { reports })).outcomes;
});
const { signal } = new AbortController();
for (let n = 0; n < POLLS; n += 1) void pollForever();
console.log('worker ready');

/** A failed request ends the process, and with it the measurement. */
async function pollForever(): Promise<never> {
  let free = RUNS_PER_POLL;
  for (;;) {
    if (free === 0) await sleep(1);
    else {
      const poll = { max: free, wait_seconds: WAIT_SECONDS };
      const leases = await send<Lease[]>('POST', `/api/v1/workers/${workerId}/poll`, poll);
      free -= leases.length;
      for (const lease of leases) {
        void run(lease).finally(() => {
          free += 1;
        });
      }
    }
  }
}

async function run({ lease_token: token, execution: { id, prompt } }: Lease): Promise<void> {
  tally.started(monotonicMs() - Number.parseFloat(prompt));
  await report(id, token, { status: 'running' });
  await report(id, token, { status: 'completed', response: 'ok' });
  tally.finished();
}

async function report(id: string, token: string, update: Update): Promise<void> {
  const alone = async (): Promise<void> => {
    await send('PATCH', `/api/v1/executions/${id}`, update, { 'X-Lease-Token': token });
  };
  if (SHARE_REPORTS === undefined) return alone();
  const entry = { execution_id: id, lease_token: token, update };
  await shared.send({ what: 'Reporting a state', report: entry, signal, alone, read: () => undefined });
}
