import type { BenchPlatform } from './platform.js';

/** What the figures work on: an agent, a manual job of it, a worker of its queue, and an execution that runs. */
export interface Setting {
  readonly jobId: string;
  readonly workerId: string;
  readonly executionId: string;
  readonly leaseToken: string;
}

export async function prepareSetting(platform: BenchPlatform): Promise<Setting> {
  const { call } = platform;
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
  return { jobId: job.id, workerId: worker.worker_id, executionId: execution.id, leaseToken };
}
