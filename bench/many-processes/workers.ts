// Many workers in one process: each registers, polls and heartbeats by itself. Replies which executions they leased and
// whose ends were acknowledged, so that the benchmark can find lost and doubled ones.
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonClient } from '../json-client.js';
import { replyTo } from '../ipc.js';

const RUNS_PER_POLL = 4;
const WAIT_SECONDS = 20;
const HEARTBEAT_MS = 15_000;

interface Lease {
  readonly lease_token: string;
  readonly execution: { readonly id: string };
}

const { CONTROL_PLANE_URL = '', WORKER_API_KEY = '', QUEUE_NAME = '', WORKERS = '1' } = process.env;
const send = jsonClient(CONTROL_PLANE_URL, { Authorization: `Bearer ${WORKER_API_KEY}` });
const leased: string[] = [];
const ended: string[] = [];
replyTo('ended', () => ended.length);
replyTo('work', () => ({ leased: leased.splice(0), ended: ended.splice(0) }));
await Promise.all(Array.from({ length: Number(WORKERS) }, (_worker, n) => startWorker(n)));
console.log('worker ready');

async function startWorker(n: number): Promise<void> {
  const registration = { worker_queue_name: QUEUE_NAME, hostname: `bench-${n}` };
  const { worker_id: id } = await send<{ worker_id: string }>('POST', '/api/v1/workers/register', registration);
  setInterval(() => void send('POST', `/api/v1/workers/${id}/heartbeat`, {}), HEARTBEAT_MS);
  void pollForever(id);
}

/** A failed request ends the process, and with it the measurement. */
async function pollForever(id: string): Promise<never> {
  for (;;) {
    const poll = { max: RUNS_PER_POLL, wait_seconds: WAIT_SECONDS };
    const leases = await send<Lease[]>('POST', `/api/v1/workers/${id}/poll`, poll);
    if (leases.length === 0) await sleep(1);
    await Promise.all(leases.map(run));
  }
}

async function run({ lease_token: token, execution: { id } }: Lease): Promise<void> {
  leased.push(id);
  const headers = { 'X-Lease-Token': token };
  const path = `/api/v1/executions/${id}`;
  await send('PATCH', path, { status: 'running' }, headers);
  await send('PATCH', path, { status: 'completed', response: 'ok' }, headers);
  ended.push(id);
}
