import { describe, expect, it } from '@jest/globals';
import { actionsIn, isFinal, STATUSES } from './execution-state';
import { narrowedTo, parseExecutionsSearch, toggleStatus } from './executions.search';

describe('the filters of the executions', () => {
  it('leave out what is unknown', () => {
    expect(parseExecutionsSearch({ status: 'failed,broken,running', type: 'x', other: 1 })).toEqual({
      status: 'running,failed',
    });
    expect(parseExecutionsSearch({ status: '', type: 'team', session: 's1' })).toEqual({
      type: 'team',
      session: 's1',
    });
  });

  it('have a cause and a period', () => {
    const search = { cause: '0f6d2c9a41b7e358', order: 'ended', from: '2026-11-27T10:00:00.000Z' };
    expect(parseExecutionsSearch({ ...search, to: 'tomorrow' })).toEqual(search);
    expect(parseExecutionsSearch({ cause: 'x', order: 'up', from: '' })).toEqual({});
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

  it('are narrowed to statuses, unless none of them is chosen', () => {
    expect(narrowedTo({ entity: 'a' }, ['failed', 'cancelled'])).toEqual({ entity: 'a', status: 'failed,cancelled' });
    expect(narrowedTo({ status: 'running,failed' }, ['failed', 'cancelled'])).toEqual({ status: 'failed' });
    expect(narrowedTo({ status: 'running' }, ['failed', 'cancelled'])).toBeUndefined();
  });
});
