// What the intruder of `test/laws/isolation.e2e-spec.ts` sends to the resources of another organization.

/** Valid bodies of routes. Their changes would be visible in the final comparison. */
export const BODIES: Readonly<Record<string, object>> = {
  'POST /api/v1/executions/{execution_id}/events': { event_type: 'intruder' },
  'PATCH /api/v1/executions/{execution_id}': { status: 'running' },
  'PATCH /api/v1/analytics/tasks/{task_id}': { status: 'completed' },
  'PATCH /api/v1/policies/associations/{association_id}': { priority: 7 },
  'PUT /api/v1/policies/associations/{association_id}': { priority: 7 },
  'POST /api/v1/executions/{execution_id}/plan': { entity_type: 'agent', entity_id: 'intruder', reason: 'intruder' },
  'PATCH /api/v1/executions/{execution_id}/steps': { steps: [{ name: 'only', status: 'completed' }] },
  'POST /api/v1/workers/{worker_id}/reports': { reports: [] },
  'PATCH /api/v1/executions/{execution_id}/status': { status: 'running' },
  'POST /api/v1/executions/{execution_id}/job/{job_id}/status': { status: 'running' },
  'POST /api/v1/executions/{execution_id}/messages': { messages: [{ message_id: 'intruder' }] },
  'POST /api/v1/executions/{execution_id}/message': { message: 'intruder' },
  'POST /api/v1/environments/{environment_id}/worker-queues': { name: 'intruder' },
  'POST /api/v1/agents/{agent_id}/execute': { prompt: 'intruder' },
  'POST /api/v1/agents/{agent_id}/preview': { prompt: 'intruder' },
  'POST /api/v1/teams/{team_id}/execute': { prompt: 'intruder' },
  'POST /api/v1/teams/{team_id}/preview': { prompt: 'intruder' },
  'POST /api/v1/projects/{project_id}/teams': { team_id: 'intruder' },
  'POST /api/v1/projects/{project_id}/agents': { agent_id: 'intruder' },
  'POST /api/v1/policies/check-authorization/{entity_type}/{entity_id}': { action: 'intrude' },
  'POST /api/v1/policies/{policy_id}/validate': { policy_content: 'package intruder' },
  'POST /api/v1/workers/{worker_id}/poll': { wait_seconds: 0 },
  'PATCH /api/v1/users/{id}': { name: 'intruder' },
  'PATCH /api/v1/auth/keys/{key_id}': { name: 'intruder' },
  'POST /api/v1/auth/keys/{key_id}/rotate': {},
  'POST /api/v1/skills/associations/{entity_type}/{entity_id}/skills': { skill_id: 'intruder' },
  'POST /api/v1/sessions/{user_session_id}/fork': { name: 'intruder' },
  'PUT /api/v1/secrets/{secret_name}': { value: 'intruder' },
  'POST /api/v1/webhooks/{webhook_id}/replay': { from: '2026-01-01T00:00:00Z' },
};
/**
 * Required query parameters of routes, with values that match rows of every organization of the test, and periods that
 * are equal in two reads.
 */
const PERIOD = `from=${new Date(Date.now() - 3_600_000).toISOString()}&to=${new Date(Date.now() + 3_600_000).toISOString()}`;
/** A past period, because samples of the load are stored while the test runs. */
const BEFORE_THE_TEST = `from=${new Date(Date.now() - 7_200_000).toISOString()}&to=${new Date(Date.now() - 3_600_000).toISOString()}`;
export const QUERIES: Readonly<Record<string, string>> = {
  '/api/v1/search': 'q=t',
  '/api/v1/analytics/executions/series': PERIOD,
  '/api/v1/analytics/executions/failures': PERIOD,
  '/api/v1/worker-queue-load/series': BEFORE_THE_TEST,
};
export const CHANGES = { name: 'intruder', label: 'intruder', description: 'intruder' };
