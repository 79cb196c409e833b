/** An execution environment that names the id wherever it can refer to a resource. */
const environmentOf = (id: string): object => ({
  execution_environment: { integration_ids: [id], env_vars: { A: `secret:${id}` }, mcp_servers: { a: { url: id } } },
});
const stepsOf = (step: object): object => ({ name: newName(), steps: [{ name: 'one', ...step }] });
let names = 0;
/** A name that is used once. */
export const newName = (): string => `name-${(names += 1)}`;

/**
 * Valid bodies with a reference inside a free-form field, by route and the path of the reference. References are stored
 * as sent or checked. In both cases an id of another organization must be treated like a missing one, in the response
 * and in all reads of the created resource.
 */
export const NESTED_REFERENCES: Readonly<Record<string, (id: string) => object>> = {
  'POST /api/v1/agents execution_environment': (id) => ({ name: 'a', ...environmentOf(id) }),
  'PATCH /api/v1/agents/{agent_id} execution_environment': environmentOf,
  'POST /api/v1/agents llm_config.model': (id) => ({ name: 'a', llm_config: { model: id } }),
  'POST /api/v1/teams execution_environment': (id) => ({ name: 't', ...environmentOf(id) }),
  'POST /api/v1/teams configuration': (id) => ({
    name: 't',
    configuration: {
      member_ids: [id],
      llm: { model: id },
      reasoning: { model: id, agent_id: id },
      knowledge_base: { knowledge_uuids: [id] },
      session: { user_id: id, session_id: id },
    },
  }),
  'PATCH /api/v1/teams/{team_id} configuration.member_ids': (id) => ({ configuration: { member_ids: [id] } }),
  'POST /api/v1/environments execution_environment': (id) => ({ name: newName(), ...environmentOf(id) }),
  'POST /api/v1/projects settings': (id) => ({
    name: 'p',
    key: newName(),
    restrict_to_environment: true,
    settings: { environment_ids: [id], ...environmentOf(id) },
  }),
  'POST /api/v1/jobs execution_environment': (id) => ({
    name: 'j',
    trigger_type: 'manual',
    planning_mode: 'on_the_fly',
    prompt_template: 'p',
    ...environmentOf(id),
  }),
  'POST /api/v1/integrations configuration': (id) => ({
    name: newName(),
    type: 'example',
    configuration: { env_vars: { A: `secret:${id}` } },
  }),
  'POST /api/v1/workflows steps.agent_id': (id) => stepsOf({ type: 'agent', agent_id: id, prompt: 'p' }),
  'POST /api/v1/workflows steps.team_id': (id) => stepsOf({ type: 'team', team_id: id, prompt: 'p' }),
  'POST /api/v1/workflows steps.model_id': (id) => stepsOf({ type: 'prompt', prompt: 'p', model_id: id }),
  'PATCH /api/v1/workflows/{workflow_id} steps.agent_id': (id) => ({
    steps: [{ name: 'one', type: 'agent', agent_id: id, prompt: 'p' }],
  }),
  'POST /api/v1/workers/{worker_id}/reports reports.execution_id': (id) => ({
    reports: [
      { execution_id: id, lease_token: 'stale', update: { status: 'completed' } },
      { execution_id: id, lease_token: 'stale', event: { event_type: 'note', idempotency_key: 'note' } },
      { execution_id: id, lease_token: 'stale', messages: { messages: [{ message_id: 'note' }] } },
    ],
  }),
  'POST /api/v1/executions/create execution_environment': (id) => ({ prompt: 'p', ...environmentOf(id) }),
  'POST /api/v1/agents/{agent_id}/execute execution_environment': (id) => ({ prompt: 'p', ...environmentOf(id) }),
  'POST /api/v1/agents/{agent_id}/preview execution_environment': (id) => ({ prompt: 'p', ...environmentOf(id) }),
};

const resolvedOf = (kinds: string, id: string): string[] => [
  `execution-environment/${kinds}/${id}/resolved`,
  `skills/associations/${kinds}/${id}/skills/resolved`,
  `policies/resolved/${kinds.slice(0, -1)}/${id}`,
  ...(kinds === 'agents' ? [`agents/${id}/context/resolved`] : []),
];

/** The paths that read a new resource, by the route that creates it. */
const READ_OF_NEW: Readonly<Record<string, (id: string) => string[]>> = {
  '/api/v1/agents': (id) => [`agents/${id}`, ...resolvedOf('agents', id)],
  '/api/v1/teams': (id) => [`teams/${id}`, ...resolvedOf('teams', id)],
  '/api/v1/environments': (id) => [`environments/${id}`],
  '/api/v1/projects': (id) => [`projects/${id}`],
  '/api/v1/jobs': (id) => [`jobs/${id}`],
  '/api/v1/workflows': (id) => [`workflows/${id}`],
};

/** The paths, after `/api/v1/`, that are read of a resource that this route created. */
export function readsOfNew(path: string, created: unknown): string[] {
  return READ_OF_NEW[path]?.((created as { readonly id: string }).id) ?? [];
}
