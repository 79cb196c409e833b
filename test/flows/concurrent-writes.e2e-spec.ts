import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { Contract, type Operation } from '../support/contract.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';
import { Subscriber } from '../support/subscriber.js';

/**
 * Rounds per pair of writes. A pair that ends the execution runs once, because each round would need another execution.
 */
const ROUNDS = 3;
const ENDING_ROUNDS = 1;
/** Pairs that run at the same time, each on an execution, queue and worker of its own. */
const QUEUES = 6;

/** An execution with a job, a session and task records; leased and running, or waiting in its queue. */
interface Target {
  readonly execution_id: string;
  readonly job_id: string;
  readonly worker_id: string;
  readonly task_id: string;
  readonly webhook_id: string;
  readonly delivery_id: string;
  readonly file_name: string;
  readonly leaseToken: string;
  /** A candidate for a plan. */
  readonly agent_id: string;
}

type Body = (target: Target, reverse: boolean) => object;

/** One request that writes an execution or the rows beside it. */
interface Write {
  /** Method and path, and the name of the body if the route has several. */
  readonly name: string;
  readonly route: Operation;
  readonly body: Body | undefined;
  /** Whether the platform API serves the request. */
  readonly isPlatformApi: boolean;
  /** Whether the write takes the execution from its worker, or ends it. */
  readonly ends: boolean;
}

const MESSAGES = [{ message_id: 'm1', role: 'user', content: 'hello' }];
const STEPS = ['a', 'b', 'c'];
const EVENT = 'concurrent_write';

const tasksOf = (reverse: boolean): object[] => {
  const tasks = STEPS.map((task_id) => ({ task_id, task_description: 'step' }));
  return reverse ? tasks.toReversed() : tasks;
};
const stepsOf = (reverse: boolean): object[] => {
  const now = new Date().toISOString();
  const steps = STEPS.map((name) => ({
    name,
    status: 'completed',
    attempt: 1,
    output: 'done',
    started_at: now,
    completed_at: now,
  }));
  return reverse ? steps.toReversed() : steps;
};

/** The bodies of the routes that need one, by name. Routes without an entry are sent without a body. */
const BODIES: Readonly<Record<string, Readonly<Record<string, Body>>>> = {
  'POST /executions/{execution_id}/events': { any: () => ({ event_type: 'thinking_delta' }) },
  'PATCH /executions/{execution_id}': {
    running: () => ({ status: 'running', response: 'partial' }),
    completed: () => ({ status: 'completed', response: 'all' }),
    failed: () => ({ status: 'failed', error_message: 'broken' }),
  },
  'PATCH /executions/{execution_id}/status': {
    running: () => ({ status: 'running' }),
    completed: () => ({ status: 'completed' }),
  },
  'POST /executions/{execution_id}/job/{job_id}/status': {
    running: () => ({ status: 'running', duration_ms: 5 }),
    failed: () => ({ status: 'failed', duration_ms: 5, error_message: 'broken' }),
  },
  'POST /executions/{execution_id}/session': { any: () => ({ messages: MESSAGES }) },
  'POST /executions/{execution_id}/messages': {
    any: (_target, reverse) => ({ messages: [{ message_id: reverse ? 'm2' : 'm3', role: 'user', content: 'more' }] }),
  },
  'POST /executions/{execution_id}/message': { any: () => ({ message: 'and then?' }) },
  'POST /executions/{execution_id}/plan': {
    any: ({ agent_id: entity_id }, reverse) => ({ entity_type: 'agent', entity_id, reason: reverse ? 'one' : 'other' }),
  },
  'POST /executions/{execution_id}/rerun': { any: () => ({}) },
  'POST /executions/bulk': {
    cancel: ({ execution_id }) => ({ action: 'cancel', execution_ids: [execution_id] }),
    rerun: ({ execution_id }) => ({ action: 'rerun', execution_ids: [execution_id] }),
  },
  'PATCH /executions/{execution_id}/steps': { any: (_target, reverse) => ({ steps: stepsOf(reverse) }) },
  'PUT /executions/{execution_id}/files/{file_name}': { any: () => ({ content: 'of a file' }) },
  'POST /workers/heartbeat': { any: ({ worker_id }) => ({ worker_id }) },
  'POST /workers/{worker_id}/disconnect': { any: () => ({}) },
  'POST /workers/{worker_id}/poll': { any: () => ({ max: 1, wait_seconds: 0 }) },
  'POST /analytics/tasks': { any: ({ execution_id }) => ({ execution_id, task_id: 'a', task_description: 'step' }) },
  'PATCH /analytics/tasks/{task_id}': { any: () => ({ status: 'running' }) },
  'POST /analytics/batch': { any: ({ execution_id }, reverse) => ({ execution_id, tasks: tasksOf(reverse) }) },
  'POST /webhooks/{webhook_id}/replay': { any: () => ({ from: '2026-01-01T00:00:00Z', status: 'delivered' }) },
};

/** Writes that take the execution from its worker, or end it. */
const ENDING = /completed|failed|cancel|disconnect|poll|\/plan$/;
/** Writes after which an execution rejects other writes that it accepted before. */
const HOLDING = /\/(pause|resume|wait)$/;

const WRITES: readonly Write[] = [
  ...Contract.of('control-plane').operations.filter(writesExecution),
  ...Contract.of('platform-api').operations.filter(({ path }) => path.endsWith('/executions/{id}/cancel')),
].flatMap((route) => {
  const isPlatformApi = route.path.includes('{id}');
  const key = `${route.method} ${route.path.replace('/api/v1', '')}`;
  const bodies: Readonly<Record<string, Body | undefined>> = BODIES[key] ?? { any: undefined };
  return Object.entries(bodies).map(([kind, body]) => {
    const name = `${key}${kind === 'any' ? '' : `, ${kind}`}${isPlatformApi ? ' of the platform API' : ''}`;
    return { name, route, body, isPlatformApi, ends: ENDING.test(name) };
  });
});

function writesExecution(route: Operation): boolean {
  if (route.method === 'GET' || route.path.endsWith('/stream-ticket')) return false;
  if (/\{(webhook|delivery)_id\}/.test(route.path)) return /\/(test|replay)$/.test(route.path);
  return /\{(execution|task|worker)_id\}/.test(route.path) || namesExecution(route);
}

function namesExecution({ path, body }: Operation): boolean {
  if (body === undefined || path.endsWith('/executions/create')) return false;
  const { properties = {} } = Contract.of('control-plane').resolve(body);
  return ['execution_id', 'execution_ids', 'worker_id'].some((name) => name in (properties as object));
}

/** A route for which this file has no body. It writes nothing, but must not fail with a server error. */
const lacksBody = ({ route, body }: Write): boolean => route.body !== undefined && body === undefined;

/** A plan needs an execution without an entity, and its lease token. */
const isPlan = ({ route }: Write): boolean => route.path.endsWith('/plan');

const takesLeaseToken = ({ route }: Write): boolean => route.parameters.some(({ name }) => name === 'X-Lease-Token');

/** A queue with a job, and the worker that leases its executions. */
interface QueueFixture {
  readonly queueId: string;
  readonly jobId: string;
  /** A job whose executions have no entity. */
  readonly planJobId: string;
  /** Executions that reruns started. */
  readonly repeated: string[];
  workerId: string;
  /** A leased execution whose state still allows the next pair of writes. */
  unchanged?: Target | undefined;
}

/** The executions that a rerun of one or of several executions started. */
function startedBy(answer: unknown): string[] {
  const { execution_id, results = [] } = answer as { execution_id?: string; results?: { new_execution_id: string }[] };
  return [execution_id, ...results.map((result) => result.new_execution_id)].filter((id) => typeof id === 'string');
}

describe('two requests that write the same execution at the same time', () => {
  let platform: Platform;
  let subscriber: Subscriber;
  let user: Scenario;
  let queues: QueueFixture[];
  let deliveries: Pick<Target, 'webhook_id' | 'delivery_id'>;
  let agentId: string;
  const accepted = new Set<string>();

  beforeAll(async () => {
    const env = { DATABASE_POOL_SIZE: '16', LOG_LEVEL: 'warn', FAIR_SHARE_PER_SECOND: '0' };
    platform = await Platform.start({ platformApi: true, env });
    subscriber = await Subscriber.start();
    user = new Scenario(platform);
    agentId = await user.newAgent();
    const steps = STEPS.map((name) => ({ name, type: 'prompt', prompt: 'Go' }) as const);
    const body = { name: 'flow', steps: [...steps] };
    const workflow = await unwrap(user.client.POST('/api/v1/workflows', { body }));
    queues = await Promise.all(
      Array.from({ length: QUEUES }, (_queue, index) => newQueueFixture(`writes-${index}`, workflow.id)),
    );
    deliveries = await newDelivery();
  });

  afterAll(async () => {
    await platform.stop();
    await subscriber.stop();
  });

  async function newQueueFixture(name: string, workflowId: string): Promise<QueueFixture> {
    const queueId = await user.newQueue(name);
    const target = { executor_type: 'specific_queue', worker_queue_name: name } as const;
    const jobId = await user.newJob(workflowId, { entity_type: 'workflow', ...target });
    const open = { planning_mode: 'on_the_fly', entity_type: null, entity_id: null } as const;
    const planJobId = await user.newJob('', { ...open, ...target });
    return { queueId, jobId, planJobId, repeated: [], workerId: await newWorker(queueId) };
  }

  async function newWorker(queue_id: string): Promise<string> {
    const params = { path: { queue_id } };
    return (await unwrap(user.client.POST('/api/v1/worker-queues/{queue_id}/start', { params, body: {} }))).worker_id;
  }

  /** Creates a webhook and a delivery of an event of an execution. */
  async function newDelivery(): Promise<Pick<Target, 'webhook_id' | 'delivery_id'>> {
    const body = { url: subscriber.url('/events'), events: [EVENT] };
    const { id: webhook_id } = await unwrap(user.client.POST('/api/v1/webhooks', { body }));
    const [queue] = queues;
    if (queue === undefined) throw new Error('There are no queues');
    const { execution_id } = await user.trigger(queue.jobId);
    const params = { path: { execution_id } };
    const event = { event_type: EVENT };
    await unwrap(user.client.POST('/api/v1/executions/{execution_id}/events', { params, body: event }));
    await user.cancel(execution_id);
    return eventually(async () => {
      const path = { webhook_id };
      const [delivery] = await unwrap(
        user.client.GET('/api/v1/webhooks/{webhook_id}/deliveries', { params: { path } }),
      );
      if (delivery?.status !== 'delivered') throw new Error('The event was not delivered');
      return { webhook_id, delivery_id: delivery.id };
    });
  }

  async function newTarget(queue: QueueFixture, isLeased: boolean, job_id = queue.jobId): Promise<Target> {
    const { execution_id } = await user.trigger(job_id);
    const leaseToken = isLeased ? await lease(queue, execution_id) : 'no-lease';
    const params = { path: { execution_id } };
    await unwrap(
      user.client.POST('/api/v1/executions/{execution_id}/session', { params, body: { messages: MESSAGES } }),
    );
    const task = await unwrap(
      user.client.POST('/api/v1/analytics/tasks', { body: { execution_id, task_id: 'a', task_description: 'step' } }),
    );
    const ids = { execution_id, job_id, agent_id: agentId, worker_id: queue.workerId, task_id: task.id };
    return { ...ids, ...deliveries, file_name: 'report.json', leaseToken };
  }

  /** Leases the execution and sets it to running. Returns the token. */
  async function lease(queue: QueueFixture, execution_id: string): Promise<string> {
    const found = await eventually(async () => {
      const params = { path: { worker_id: queue.workerId } };
      const body = { max: 1, wait_seconds: 5 };
      const [first] = await unwrap(user.client.POST('/api/v1/workers/{worker_id}/poll', { params, body }));
      if (first === undefined) throw new Error('Nothing was leased');
      if (first.execution.id === execution_id) return first;
      // Left by a test that failed.
      await leave({ execution_id: first.execution.id });
      throw new Error('Another execution was leased');
    });
    const params = { path: { execution_id }, header: { 'X-Lease-Token': found.lease_token } };
    await unwrap(user.client.PATCH('/api/v1/executions/{execution_id}', { params, body: { status: 'running' } }));
    return found.lease_token;
  }

  async function send(
    { name, route, body, isPlatformApi }: Write,
    target: Target,
    repeated: string[],
    variant: { readonly token: string | null; readonly reverse: boolean },
  ): Promise<{ readonly status: number; readonly outcome: string }> {
    const { execution_id: id } = target;
    const path = route.path.replaceAll(
      /\{(\w+)\}/g,
      (_whole, parameter: string) => ({ id, ...target })[parameter] ?? '',
    );
    const base = isPlatformApi ? (platform.platformApi?.url ?? '') : platform.url;
    const sent = body?.(target, variant.reverse);
    const { status, body: answer } = await call(route.method, base + path, {
      key: platform.adminKey,
      ...(isPlatformApi ? { scheme: 'UserKey' } : {}),
      ...(sent === undefined ? {} : { body: sent }),
      ...(variant.token === null ? {} : { headers: { 'X-Lease-Token': variant.token } }),
    });
    if (status < 300) accepted.add(name);
    if (/rerun/.test(name)) repeated.push(...startedBy(answer));
    return { status, outcome: `${status} ${name}` };
  }

  /** Runs a pair of writes, each with and without a token, and returns the responses that are server errors. */
  async function runPair(queue: QueueFixture, one: Write, other: Write): Promise<string[]> {
    const pair = [one, other];
    const isLeased = !pair.some(({ name }) => name.includes('/poll'));
    const ends = pair.some((write) => write.ends);
    const failures: string[] = [];
    const spare = queue.unchanged;
    queue.unchanged = undefined;
    if (ends && spare !== undefined) await leave(spare);
    const jobId = pair.some(isPlan) ? queue.planJobId : queue.jobId;
    let target = ends || spare === undefined ? await newTarget(queue, isLeased, jobId) : spare;
    for (let round = 0; round < (ends ? ENDING_ROUNDS : ROUNDS); round += 1) {
      if (round > 0 && ends) target = await newTarget(queue, isLeased, jobId);
      const variants = [target.leaseToken, null].map((token, index) => ({ token, reverse: index === round % 2 }));
      const sent = pair.flatMap((write) => variants.map((variant) => send(write, target, queue.repeated, variant)));
      for (const { status, outcome } of await Promise.all(sent)) if (status >= 500) failures.push(outcome);
      for (const execution_id of queue.repeated.splice(0)) await leave({ execution_id });
      if (!ends) continue;
      await leave(target);
      if (pair.some(({ name }) => name.includes('disconnect'))) queue.workerId = await newWorker(queue.queueId);
    }
    if (ends || pair.some(({ name }) => HOLDING.test(name))) await leave(target);
    else queue.unchanged = target;
    return failures.map((outcome) => `${outcome}, at the same time as ${one.name} and ${other.name}`);
  }

  /** Ends the execution, so that no later poll returns it. */
  async function leave({ execution_id }: Pick<Target, 'execution_id'>): Promise<void> {
    const path = `${platform.url}/api/v1/executions/${execution_id}/cancel`;
    const { status } = await call('POST', path, { key: platform.adminKey });
    expect([200, 409]).toContain(status);
  }

  /**
   * Returns the number of deadlocks in the database. Ends the platform first, because a connection reports its
   * deadlocks when it ends.
   */
  async function deadlocks(): Promise<number> {
    const servers = [...platform.controlPlanes, ...platform.platformApis];
    await Promise.all(servers.map(({ process }) => process.kill('SIGTERM')));
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

  it.each(
    WRITES.filter((write) => takesLeaseToken(write) && !lacksBody(write) && !isPlan(write)).map(
      (write) => [write.name, write] as const,
    ),
  )('of which one has a stale lease token: %s is rejected, and accepted without one', async (_name, write) => {
    const [queue] = queues;
    if (queue === undefined) throw new Error('There are no queues');
    const target = await newTarget(queue, true);
    const { execution_id } = target;
    if (write.name.endsWith('/resume')) {
      await unwrap(user.client.POST('/api/v1/executions/{execution_id}/pause', { params: { path: { execution_id } } }));
    }
    const stale = await send(write, target, [], { token: 'stale', reverse: false });
    const without = await send(write, target, [], { token: null, reverse: false });
    await leave(target);
    expect([stale.outcome, without.status < 300]).toEqual([`409 ${write.name}`, true]);
  });

  it.each(WRITES.map((write, index) => [write.name, index] as const))(
    'do not fail: %s and every other write, with and without a lease token',
    async (_name, index) => {
      const [one, ...rest] = WRITES.slice(index);
      if (one === undefined) throw new Error('There is no such write');
      const others = [one, ...rest];
      const failures: string[] = [];
      const work = async (queue: QueueFixture): Promise<void> => {
        for (let other = others.shift(); other !== undefined; other = others.shift()) {
          failures.push(...(await runPair(queue, one, other)));
        }
      };
      await Promise.all(queues.map(work));
      expect(failures).toEqual([]);
    },
  );

  it('are each accepted at least once', () => {
    expect(WRITES.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        ...Object.entries(BODIES).flatMap(([route, bodies]) =>
          Object.keys(bodies).map((kind) => (kind === 'any' ? route : `${route}, ${kind}`)),
        ),
        'POST /executions/{execution_id}/cancel',
        'POST /executions/{id}/cancel of the platform API',
        'POST /workers/{worker_id}/disconnect',
        'POST /webhooks/{webhook_id}/test',
        'POST /webhooks/deliveries/{delivery_id}/replay',
      ]),
    );
    const accepting = WRITES.filter((write) => !lacksBody(write));
    expect(accepting.filter(({ name }) => !accepted.has(name))).toEqual([]);
  });

  it('do not deadlock', async () => {
    expect(await deadlocks()).toBe(0);
  });
});
