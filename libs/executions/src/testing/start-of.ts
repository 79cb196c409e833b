import type { StartExecution } from '../executions/execution.types.js';

/** For tests: a start with nothing special about it. */
export function startOf(workerQueueId: string): StartExecution {
  return {
    place: { workerQueueId, environmentId: 'environment-1' },
    executionType: 'agent',
    entityId: 'agent-1',
    entityName: 'Greeter',
    prompt: 'Say hello',
    user: { userId: 'user-1', userName: 'Ada', userEmail: 'ada@example.com', userAvatar: null },
    triggerType: 'manual',
  };
}
