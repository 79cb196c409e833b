import type { Build, Call } from './platform.js';

/** The entities that the figures use. */
export interface Setting {
  /** A manual job of an agent, on the default queue. */
  readonly jobId: string;
  /** A worker of the default queue. */
  readonly workerId: string;
  /** A worker of a queue that stays empty. */
  readonly idleWorkerId: string;
  /** A running execution, leased to `workerId`. */
  readonly executionId: string;
  readonly leaseToken: string;
  /** Path of a webhook that triggers a job, and the secret that signs its requests. */
  readonly webhook: { readonly path: string; readonly secret: string };
}

export async function prepareSetting({ call }: Build): Promise<Setting> {
  const agent = await call<{ id: string }>('POST', '/api/v1/agents', { name: 'bench', system_prompt: 'You are fast.' });
  const job = await call<{ id: string }>('POST', '/api/v1/jobs', {
    name: 'bench',
    trigger_type: 'manual',
    planning_mode: 'predefined_agent',
    entity_type: 'agent',
    entity_id: agent.id,
    prompt_template: 'Greet {{name}}',
  });
  const worker = await call<{ worker_id: string }>('POST', '/api/v1/workers/register', { hostname: 'bench' });
  await call('POST', `/api/v1/jobs/${job.id}/trigger`, { parameters: { name: 'Ada' } });
  const [lease] = await call<{ lease_token: string; execution: { id: string } }[]>(
    'POST',
    `/api/v1/workers/${worker.worker_id}/poll`,
    { max: 1, wait_seconds: 10 },
  );
  if (lease === undefined) throw new Error('The first execution was not leased');
  const { execution, lease_token: leaseToken } = lease;
  await call('PATCH', `/api/v1/executions/${execution.id}`, { status: 'running' });
  const idleWorkerId = await prepareIdleWorker(call);
  const webhook = await prepareWebhook(call, agent.id);
  return { jobId: job.id, workerId: worker.worker_id, idleWorkerId, executionId: execution.id, leaseToken, webhook };
}

async function prepareWebhook(call: Call, agentId: string): Promise<Setting['webhook']> {
  const job = await call<{ webhook_url: string; webhook_secret: string }>('POST', '/api/v1/jobs', {
    name: 'bench-webhook',
    trigger_type: 'webhook',
    planning_mode: 'predefined_agent',
    entity_type: 'agent',
    entity_id: agentId,
    prompt_template: 'Greet {{name}}',
  });
  return { path: new URL(job.webhook_url).pathname, secret: job.webhook_secret };
}

async function prepareIdleWorker(call: Call): Promise<string> {
  const [environment] = await call<{ id: string }[]>('GET', '/api/v1/environments');
  if (environment === undefined) throw new Error('There is no environment');
  const name = 'bench-idle';
  await call('POST', `/api/v1/environments/${environment.id}/worker-queues`, { name });
  const worker = await call<{ worker_id: string }>('POST', '/api/v1/workers/register', { worker_queue_name: name });
  return worker.worker_id;
}
