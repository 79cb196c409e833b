import { describe, expect, it } from '@jest/globals';
import { actionsIn, isFinal, STATUSES } from './execution-state';
import { parseExecutionsSearch, toggleStatus } from './executions.search';

describe('the filters of the executions', () => {
  it('leave out what is unknown', () => {
    expect(parseExecutionsSearch({ status: 'failed,broken,running', type: 'x', other: 1 })).toEqual({
      status: 'running,failed',
    });
    expect(parseExecutionsSearch({ status: '', type: 'team', entity: 'a1' })).toEqual({ type: 'team', entity: 'a1' });
  });

  it('return to the beginning after a status was chosen twice', () => {
    for (const status of STATUSES) {
      const chosen = toggleStatus({ type: 'agent' }, status);
      expect(chosen).toEqual({ type: 'agent', status });
      expect(toggleStatus(chosen, status)).toEqual({ type: 'agent' });
    }
  });
});

describe('the actions of an execution', () => {
  it('are those that its status allows', () => {
    expect(STATUSES.filter(isFinal)).toEqual(['completed', 'failed', 'cancelled', 'terminated']);
    expect(actionsIn('running')).toEqual(['pause', 'cancel']);
    expect(actionsIn('failed')).toEqual(['rerun']);
  });
});
