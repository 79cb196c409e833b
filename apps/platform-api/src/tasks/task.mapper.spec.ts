import { describe, expect, it } from '@jest/globals';
import type { Task } from '@app/tasks';
import { toTaskResponse, toTaskResultResponse } from './task.mapper.js';

const task: Task = {
  id: 'execution-1',
  name: 'Report',
  status: 'failed',
  agent_id: 'agent-1',
  execution_id: 'execution-1',
  parameters: { week: 46 },
  created_at: new Date('2026-01-02T03:04:05.006Z'),
  result: null,
  error: 'No paper.',
};
const started = {
  id: 'execution-1',
  name: 'Report',
  status: 'failed',
  agent_id: 'agent-1',
  execution_id: 'execution-1',
  parameters: { week: 46 },
  created_at: '2026-01-02T03:04:05.006Z',
};

describe('the response of a task', () => {
  it('contains neither result nor error when it is started', () => {
    expect(toTaskResponse(task)).toEqual(started);
  });

  it('contains both when it is read', () => {
    expect(toTaskResultResponse(task)).toEqual({ ...started, result: null, error: 'No paper.' });
  });
});
