import { unwrap } from '@app/api-client';
import type { Platform } from './platform.js';
import { Scenario } from './scenario.js';

/** The addresses of all pages of the console, by the name of their pictures. */
export type ConsolePages = ReadonlyMap<string, string>;

const LISTS = [
  'executions',
  'agents',
  'teams',
  'workflows',
  'jobs',
  'policies',
  'projects',
  'skills',
  'knowledge',
  'integrations',
  'secrets',
  'models',
  'environments',
  'queues',
  'workers',
  'webhooks',
  'decisions',
  'traces',
  'keys',
  'users',
];

const STEPS = [
  { name: 'draft', type: 'prompt', prompt: 'Write about {{params.topic}}.' },
  { name: 'review', type: 'prompt', prompt: 'Review {{steps.draft.output}}' },
] as const;

/** Makes what an organization has after a day. A worker must run. */
export async function pagesWithContent(platform: Platform): Promise<ConsolePages> {
  const user = new Scenario(platform);
  const agentId = await user.newAgent({
    name: 'reviewer',
    description: 'Reviews drafts.',
    system_prompt: 'You review.',
  });
  const done = await user.execute(agentId, 'Review: our product are the best.');
  const { trace_id } = await user.waitUntilEnded(done);
  const cron = { trigger_type: 'cron', cron_schedule: '0 9 * * MON-FRI', cron_timezone: 'Europe/Berlin' } as const;
  const jobId = await user.newJob(agentId, { name: 'weekday report', ...cron });
  const policyId = await newPolicy(
    user,
    'package quiet\n\nviolations contains "not today" if input.prompt == "later"\n',
  );
  const association = { entity_type: 'agent', entity_id: agentId, policy_id: policyId } as const;
  await unwrap(user.client.POST('/api/v1/policies/associations', { body: association }));
  await user.execute(agentId, 'later');
  await fillLibrary(user);
  const things = { agentId, executionId: done, traceId: trace_id ?? '', jobId, policyId, ...(await newCrew(user)) };
  return new Map([...pagesOfNothing(), ...thingPages(things)]);
}

/** Makes something of each kind that has no page among the others. */
async function fillLibrary({ client }: Scenario): Promise<void> {
  await unwrap(client.POST('/api/v1/projects', { body: { name: 'Mobile app', key: 'MOBILE' } }));
  await unwrap(client.POST('/api/v1/skills', { body: { name: 'Issue tracker' } }));
  await unwrap(client.POST('/api/v1/knowledge', { body: { name: 'Refund policy' } }));
  await unwrap(client.POST('/api/v1/integrations', { body: { name: 'mail', type: 'smtp' } }));
  await unwrap(client.POST('/api/v1/secrets', { body: { name: 'MAIL_PASSWORD', value: 'not shown' } }));
  await unwrap(client.POST('/api/v1/webhooks', { body: { url: 'http://127.0.0.1:9/agents' } }));
}

/** The pages that an organization has without anything in it. */
export function pagesOfNothing(): ConsolePages {
  return new Map([['overview', '/'], ...LISTS.map((name) => [name, `/${name}`] as const)]);
}

/** Makes one thing of each kind that has a page of its own, with nothing in it, and returns these pages. */
export async function pagesOfBareThings(platform: Platform, key: string): Promise<ConsolePages> {
  const user = new Scenario(platform, { key });
  const agentId = await user.newAgent({ name: 'reviewer' });
  const { execution_id, trace_id } = await unwrap(
    user.client.POST('/api/v1/executions/create', { body: { prompt: 'Go' } }),
  ).then(({ execution_id: id }) => user.execution(id).then((one) => ({ execution_id: id, trace_id: one.trace_id })));
  const jobId = await user.newJob(agentId, { name: 'weekday report' });
  const policyId = await newPolicy(user, 'package quiet\n');
  return thingPages({
    agentId,
    executionId: execution_id,
    traceId: trace_id ?? '0'.repeat(32),
    jobId,
    policyId,
    ...(await newCrew(user)),
  });
}

interface Things {
  readonly agentId: string;
  readonly executionId: string;
  readonly traceId: string;
  readonly jobId: string;
  readonly policyId: string;
  readonly workflowId: string;
  readonly teamId: string;
}

function thingPages({ agentId, executionId, traceId, jobId, policyId, workflowId, teamId }: Things): ConsolePages {
  return new Map([
    ['execution', `/executions/${executionId}`],
    ['trace', `/traces/${traceId}`],
    ['agent', `/agents/${agentId}`],
    ['job', `/jobs/${jobId}`],
    ['policy', `/policies/${policyId}`],
    ['workflow', `/workflows/${workflowId}`],
    ['team', `/teams/${teamId}`],
  ]);
}

async function newPolicy({ client }: Scenario, policy_content: string): Promise<string> {
  return (await unwrap(client.POST('/api/v1/policies', { body: { name: 'quiet', policy_content } }))).id;
}

async function newCrew({ client }: Scenario): Promise<Pick<Things, 'workflowId' | 'teamId'>> {
  const body = { name: 'draft and review', steps: [...STEPS] };
  const workflow = await unwrap(client.POST('/api/v1/workflows', { body }));
  const team = await unwrap(client.POST('/api/v1/teams', { body: { name: 'crew' } }));
  return { workflowId: workflow.id, teamId: team.id };
}
