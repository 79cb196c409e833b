import { describe, expect, it } from '@jest/globals';
import type { Execution } from '@app/executions';
import { toExecutionResponse } from './execution.mapper.js';

const created_at = new Date('2026-01-01T00:00:00Z');
const participant = {
  id: 'participant-1',
  user_id: 'user-1',
  user_name: 'Ada',
  user_email: null,
  user_avatar: null,
  role: 'owner' as const,
  joined_at: '2026-01-01T00:00:00.000Z',
  last_active_at: '2026-01-01T00:00:00.000Z',
};
/** The fields of the response that are columns of the execution without conversion. */
const unconverted = {
  id: 'execution-1',
  organization_id: 'organization-1',
  execution_type: 'agent' as const,
  entity_id: 'agent-1',
  entity_name: 'Writer',
  prompt: 'Write',
  system_prompt: null,
  status: 'running' as const,
  response: null,
  error_message: null,
  runner_name: null,
  user_id: 'user-1',
  user_name: 'Ada',
  user_email: null,
  user_avatar: null,
  usage: { total_tokens: 3 },
  execution_metadata: { own: true },
  participants: [participant],
  last_message_preview: 'Hel',
};
const execution: Execution = {
  ...unconverted,
  session_id: 'ada-1',
  created_at,
  started_at: new Date('2026-01-01T00:00:01Z'),
  completed_at: null,
  updated_at: created_at,
  last_message_at: created_at,
  job_id: 'job_1',
  parent_execution_id: null,
  trigger_type: 'api',
  worker_queue_id: 'queue-1',
  traceparent: '00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b174-01',
};

describe('toExecutionResponse', () => {
  it('contains the specified fields, with times in ISO 8601, and no fields of the delivery', () => {
    expect(toExecutionResponse(execution)).toEqual({
      ...unconverted,
      session_id: 'ada-1',
      trace_id: '5b8efff798038103d269b633813fc60c',
      created_at: '2026-01-01T00:00:00.000Z',
      started_at: '2026-01-01T00:00:01.000Z',
      completed_at: null,
      updated_at: '2026-01-01T00:00:00.000Z',
      last_message_at: '2026-01-01T00:00:00.000Z',
    });
  });
});
