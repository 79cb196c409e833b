import { jsonClient } from './json-client.js';
import type { Call } from './platform.js';

/** The shortest heartbeat interval of a queue. Leases expire half an interval after a missed heartbeat. */
const HEARTBEAT_SECONDS = 10;

interface Lease {
  readonly lease_token: string;
  readonly execution: { readonly id: string };
}

export interface HeldLeases {
  /** Ends the heartbeats. */
  readonly end: () => Promise<{
    /** Number of leases times number of heartbeats. */
    readonly renewed: number;
    /** Leases whose token is no longer the current one. */
    readonly lost: number;
  }>;
}

/** Leases executions to a worker that renews them by heartbeats and does nothing else. */
export async function holdLeases(url: string, key: string, call: Call, count: number): Promise<HeldLeases> {
  const name = `bench-${crypto.randomUUID()}`;
  const [environment] = await call<{ id: string }[]>('GET', '/api/v1/environments');
  const queue = { name, heartbeat_interval: HEARTBEAT_SECONDS };
  const { id } = await call<{ id: string }>('POST', `/api/v1/environments/${environment?.id}/worker-queues`, queue);
  const agent = await call<{ id: string }>('POST', '/api/v1/agents', { name });
  const { worker_id } = await call<{ worker_id: string }>('POST', '/api/v1/workers/register', {
    worker_queue_name: name,
  });
  for (let n = 0; n < count; n += 1) {
    await call('POST', `/api/v1/agents/${agent.id}/execute`, { prompt: 'x', worker_queue_id: id });
  }
  const leases: Lease[] = [];
  while (leases.length < count) {
    const poll = { max: count - leases.length, wait_seconds: 10 };
    leases.push(...(await call<Lease[]>('POST', `/api/v1/workers/${worker_id}/poll`, poll)));
  }
  const send = jsonClient(url, { Authorization: `Bearer ${key}` });
  const report = (lease: Lease, status: string): Promise<unknown> =>
    send('PATCH', `/api/v1/executions/${lease.execution.id}`, { status }, { 'X-Lease-Token': lease.lease_token });
  await Promise.all(leases.map((lease) => report(lease, 'running')));
  let heartbeats = 0;
  const held = { execution_ids: leases.map(({ execution }) => execution.id) };
  const beat = async (): Promise<void> => {
    await call('POST', `/api/v1/workers/${worker_id}/heartbeat`, held);
    heartbeats += 1;
  };
  const beating = setInterval(() => void beat(), HEARTBEAT_SECONDS * 1000);
  return {
    end: async () => {
      clearInterval(beating);
      const reported = await Promise.allSettled(leases.map((lease) => report(lease, 'completed')));
      const lost = reported.filter(({ status }) => status === 'rejected').length;
      return { renewed: heartbeats * count, lost };
    },
  };
}
