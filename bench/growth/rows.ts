import type { Call } from '../platform.js';
import type { SizedPlatform } from './sized-platform.js';

/** Prepares a request to a control plane, which is then measured. */
type Prepare = (platform: SizedPlatform) => Promise<() => Promise<unknown>>;

const DAY_MS = 86_400_000;

/** So small that the measured organization of the smallest database fills a page of each list. */
const PAGE = 10;

/** The first page of a list, which must be full. */
const list =
  (path: string): Prepare =>
  async ({ build: { call } }) => {
    const separator = path.includes('?') ? '&' : '?';
    return async () => {
      const page = await call<unknown[] | { items: unknown[] }>('GET', `/api/v1/${path}${separator}limit=${PAGE}`);
      const { length } = Array.isArray(page) ? page : page.items;
      if (length !== PAGE) throw new Error(`The page of ${path} has ${length} items`);
    };
  };

const read =
  (path: string): Prepare =>
  async ({ build: { call } }) =>
  () =>
    call('GET', `/api/v1/${path}`);

/** Reads one of the stored executions of the measured organization. */
const readOne =
  (suffix: string): Prepare =>
  async ({ build: { call } }) => {
    const [execution] = await call<{ id: string }[]>('GET', '/api/v1/executions?job_id=job-20&limit=1');
    if (execution === undefined) throw new Error('The job has no execution');
    return () => call('GET', `/api/v1/executions/${execution.id}${suffix}`);
  };

/** The writes of workers and of triggers. */
const post =
  (path: (platform: SizedPlatform) => string, body: unknown): Prepare =>
  async (platform) =>
  () =>
    platform.build.call('POST', `/api/v1/${path(platform)}`, body);

const patch =
  (body: unknown): Prepare =>
  async ({ build: { call }, setting: { executionId } }) =>
  () =>
    call('PATCH', `/api/v1/executions/${executionId}`, body);

/** A trigger of a job that names its queue, the poll that leases its execution, and the report of the end. */
const wholeRun: Prepare = async ({ build: { call, url, key }, setting }) => {
  const { workerId } = setting;
  const jobId = await createJobOfQueue(call, setting.jobId, 'default');
  const poll = (wait_seconds: number): Promise<{ lease_token: string; execution: { id: string } }[]> =>
    call('POST', `/api/v1/workers/${workerId}/poll`, { max: 1, wait_seconds });
  const finish = async (id: string, token: string): Promise<void> => {
    const response = await fetch(`${url}/api/v1/executions/${id}`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'X-Lease-Token': token },
      body: JSON.stringify({ status: 'completed', response: 'ok' }),
    });
    if (!response.ok) throw new Error(`The report returned ${response.status}`);
  };
  for (;;) {
    const [left] = await poll(0);
    if (left === undefined) break;
    await finish(left.execution.id, left.lease_token);
  }
  return async () => {
    await call('POST', `/api/v1/jobs/${jobId}/trigger`, { parameters: { name: 'Ada' } });
    const [lease] = await poll(10);
    if (lease === undefined) throw new Error('The poll returned no lease');
    await finish(lease.execution.id, lease.lease_token);
  };
};

/** Creates a job that runs the agent of another job in a queue. Returns its id. */
async function createJobOfQueue(call: Call, jobId: string, worker_queue_name: string): Promise<string> {
  const { entity_id } = await call<{ entity_id: string }>('GET', `/api/v1/jobs/${jobId}`);
  const runs = {
    planning_mode: 'predefined_agent',
    entity_type: 'agent',
    entity_id,
    prompt_template: 'Greet {{name}}',
  };
  const place = { executor_type: 'specific_queue', worker_queue_name };
  const job = { name: `bench-${worker_queue_name}`, trigger_type: 'manual', ...runs, ...place };
  return (await call<{ id: string }>('POST', '/api/v1/jobs', job)).id;
}

const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

/** The measured requests by name. The triggers are last, because they fill the queue. */
export const measuredRows: Readonly<Record<string, Prepare>> = {
  'executions, first page with its total': list('executions'),
  'executions, first page without a total': list('executions?total=false'),
  'executions that failed': list('executions?status=failed'),
  'executions of the largest job': list('executions?job_id=job-10'),
  'summaries of executions': list('execution-summaries'),
  'summaries, longest waiting first': read('execution-summaries?sort=queued_at&limit=10'),
  'count of the failed executions': read('execution-summaries/count?status=failed'),
  agents: list('agents'),
  jobs: list('jobs'),
  sessions: list('sessions'),
  'worker queues': list('worker-queues'),
  'load of the worker queues': read('worker-queue-load?limit=10'),
  workers: list('workers'),
  traces: read('traces?page_size=10'),
  'deliveries of a webhook': async (platform) => list(`webhooks/${platform.webhookId}/deliveries`)(platform),
  'one execution': readOne(''),
  'timeline of an execution': readOne('/timeline'),
  'search by a frequent name': read('search?q=Report'),
  'search by a rare name': read('search?q=bench-idle'),
  'summary of analytics': read('analytics/summary'),
  'series of 30 days': read(`analytics/executions/series?from=${ago(29.9)}&bucket_seconds=21600`),
  'failures of 7 days': read(`analytics/executions/failures?from=${ago(6.9)}`),
  'poll without work': post(({ setting }) => `workers/${setting.idleWorkerId}/poll`, { max: 1, wait_seconds: 0 }),
  heartbeat: post(({ setting }) => `workers/${setting.workerId}/heartbeat`, {}),
  'PATCH of an execution': patch({ usage: { prompt_tokens: 100, completion_tokens: 20 } }),
  'trigger, claim and report of the end': wholeRun,
  'trigger of a job': post(({ setting }) => `jobs/${setting.jobId}/trigger`, { parameters: { name: 'Ada' } }),
};
