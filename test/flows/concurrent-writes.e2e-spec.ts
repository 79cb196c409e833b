import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { Contract, type Operation } from '../support/contract.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

/** How often each pair of routes runs. */
const ROUNDS = 5;

/** The routes that write an execution or the rows beside it: their path or body names it. */
const routes = Contract.of('control-plane').operations.filter(
  (route) => route.method !== 'GET' && (/\{(execution|task)_id\}/.test(route.path) || namesExecution(route)),
);
/** Each pair of routes once, by the first route. */
const tests = routes.map((route, index) => [`${route.method} ${route.path}`, route, routes.slice(index)] as const);

function namesExecution({ path, body }: Operation): boolean {
  if (body === undefined || path.endsWith('/executions/create')) return false;
  const { properties = {} } = Contract.of('control-plane').resolve(body);
  return ['execution_id', 'execution_ids', 'worker_id'].some((name) => name in (properties as object));
}

/** A running execution with a lease, a job, a session and task records. */
interface Target {
  readonly execution_id: string;
  readonly job_id: string;
  readonly worker_id: string;
  readonly task_id: string;
  readonly leaseToken: string;
}

const MESSAGES = [{ message_id: 'm1', role: 'user', content: 'hello' }];

/** A body for each route that needs one. No body ends the execution: `cancel` does. */
function bodyOf({ method, path }: Operation, target: Target, reverse: boolean): object | undefined {
  const { execution_id, worker_id } = target;
  const tasks = ['a', 'b', 'c'].map((task_id) => ({ task_id, task_description: 'step' }));
  const bodies: Readonly<Record<string, object>> = {
    'POST /api/v1/executions/{execution_id}/events': { event_type: 'thinking_delta' },
    'PATCH /api/v1/executions/{execution_id}': { status: 'running', response: 'partial' },
    'PATCH /api/v1/executions/{execution_id}/status': { status: 'running' },
    'POST /api/v1/executions/{execution_id}/job/{job_id}/status': { status: 'running', duration_ms: 5 },
    'POST /api/v1/executions/{execution_id}/session': { messages: MESSAGES },
    'POST /api/v1/executions/{execution_id}/message': { message: 'and then?' },
    'POST /api/v1/workers/heartbeat': { worker_id },
    'POST /api/v1/analytics/tasks': { execution_id, task_id: 'a', task_description: 'step' },
    'PATCH /api/v1/analytics/tasks/{task_id}': { status: 'running' },
    'POST /api/v1/analytics/batch': { execution_id, tasks: reverse ? tasks.toReversed() : tasks },
  };
  return bodies[`${method} ${path}`];
}

describe('two routes that write the same execution at the same time', () => {
  let platform: Platform;
  let user: Scenario;
  let queueId: string;
  let jobId: string;
  let workerId: string;

  beforeAll(async () => {
    platform = await Platform.start({ env: { DATABASE_POOL_SIZE: '16', LOG_LEVEL: 'warn' } });
    user = new Scenario(platform);
    queueId = await user.newQueue('concurrent');
    jobId = await user.newJob(await user.newAgent(), {
      executor_type: 'specific_queue',
      worker_queue_name: 'concurrent',
    });
    const started = await unwrap(
      user.client.POST('/api/v1/worker-queues/{queue_id}/start', { params: { path: { queue_id: queueId } }, body: {} }),
    );
    workerId = started.worker_id;
  });

  afterAll(() => platform.stop());

  async function newTarget(): Promise<Target> {
    const { execution_id } = await user.trigger(jobId);
    const lease = await eventually(async () => {
      const params = { path: { worker_id: workerId } };
      const body = { max: 1, wait_seconds: 5 };
      const [first] = await unwrap(user.client.POST('/api/v1/workers/{worker_id}/poll', { params, body }));
      if (first === undefined) throw new Error('Nothing was leased');
      return first;
    });
    expect(lease.execution.id).toBe(execution_id);
    const params = { path: { execution_id }, header: { 'X-Lease-Token': lease.lease_token } };
    await unwrap(user.client.PATCH('/api/v1/executions/{execution_id}', { params, body: { status: 'running' } }));
    await unwrap(
      user.client.POST('/api/v1/executions/{execution_id}/session', { params, body: { messages: MESSAGES } }),
    );
    const task = await unwrap(
      user.client.POST('/api/v1/analytics/tasks', { body: { execution_id, task_id: 'a', task_description: 'step' } }),
    );
    return { execution_id, job_id: jobId, worker_id: workerId, task_id: task.id, leaseToken: lease.lease_token };
  }

  async function send(
    route: Operation,
    target: Target,
    variant: { lease: boolean; reverse: boolean },
  ): Promise<string> {
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_whole, name: keyof Target) => target[name]);
    const body = bodyOf(route, target, variant.reverse);
    const { status } = await call(route.method, platform.url + path, {
      key: platform.adminKey,
      ...(body === undefined ? {} : { body }),
      ...(variant.lease ? { headers: { 'X-Lease-Token': target.leaseToken } } : {}),
    });
    return `${status} ${route.method} ${route.path}`;
  }

  /** Terminates all connections of the platform, because a connection reports its deadlocks when it ends, and counts them. */
  async function deadlocks(): Promise<number> {
    await Promise.all(platform.controlPlanes.map(({ process }) => process.kill('SIGTERM')));
    return eventually(async () => {
      const [row] = await platform.sql<{ deadlocks: number; others: number }>(
        `SELECT deadlocks::integer, (SELECT count(*)::integer FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid()) AS others
         FROM pg_stat_database WHERE datname = current_database()`,
      );
      if (row === undefined || row.others > 0) throw new Error('The platform is still connected');
      return row.deadlocks;
    });
  }

  it('covers the routes of executions, sessions, task records and heartbeats', () => {
    expect(routes.map(({ method, path }) => `${method} ${path.replace('/api/v1/', '')}`)).toEqual(
      expect.arrayContaining([
        'POST executions/{execution_id}/session',
        'POST executions/{execution_id}/message',
        'PATCH executions/{execution_id}',
        'POST executions/{execution_id}/cancel',
        'POST analytics/tasks',
        'PATCH analytics/tasks/{task_id}',
        'POST analytics/batch',
        'POST workers/heartbeat',
      ]),
    );
  });

  it.each(tests)('do not fail: %s and each other route, with and without a lease token', async (_name, one, others) => {
    const failures: string[] = [];
    for (const other of others) {
      let target = await newTarget();
      for (let round = 0; round < ROUNDS; round += 1) {
        const variants = [true, false].map((lease, index) => ({ lease, reverse: index === round % 2 }));
        const sent = [one, other].flatMap((route) => variants.map((variant) => send(route, target, variant)));
        failures.push(...(await Promise.all(sent)).filter((outcome) => Number(outcome.slice(0, 3)) >= 500));
        const isEnded = [one, other].some(({ path }) => path.endsWith('/cancel'));
        if (isEnded && round < ROUNDS - 1) target = await newTarget();
      }
      // Otherwise its lease would expire, and the next poll could return it.
      await user.cancel(target.execution_id);
    }
    expect(failures).toEqual([]);
  });

  it('do not deadlock', async () => {
    expect(await deadlocks()).toBe(0);
  });
});
