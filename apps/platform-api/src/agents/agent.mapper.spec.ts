import { describe, expect, it } from '@jest/globals';
import type { Agent } from '@app/agents';
import { toAgentResponse } from './agent.mapper.js';

const agent: Agent = {
  id: 'agent-1',
  organization_id: 'organization-1',
  name: 'Writer',
  description: 'Writes',
  system_prompt: 'You write.',
  capabilities: ['text'],
  configuration: { secret: 'value' },
  model_id: 'model-1',
  llm_config: {},
  runtime: null,
  team_id: null,
  environment_ids: [],
  execution_environment: { env_vars: { TOKEN: 'value' } },
  status: 'idle',
  state: {},
  last_active_at: null,
  error_message: null,
  updated_by: 'user-1',
  updated_by_email: null,
  created_at: new Date('2026-01-01T00:00:00Z'),
  updated_at: new Date('2026-01-02T00:00:00Z'),
};

describe('toAgentResponse', () => {
  it('contains no configuration of the agent', () => {
    expect(toAgentResponse(agent)).toEqual({
      id: 'agent-1',
      uuid: 'agent-1',
      name: 'Writer',
      description: 'Writes',
      status: 'idle',
      runtime: null,
      model_id: 'model-1',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-02T00:00:00.000Z',
    });
  });
});
