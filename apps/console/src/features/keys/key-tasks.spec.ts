import { describe, expect, it } from '@jest/globals';
import { expiryOf, grantableTasks, KEY_SCOPES, KEY_TASKS } from './key-tasks';

describe('the tasks of keys', () => {
  it('have scopes that exist, each once', () => {
    for (const { scopes } of KEY_TASKS) {
      expect(scopes.filter((scope) => !KEY_SCOPES.includes(scope))).toEqual([]);
      expect(new Set(scopes).size).toBe(scopes.length);
    }
  });

  it('are offered only if the key in use has their scopes', () => {
    expect(grantableTasks(() => true)).toEqual(KEY_TASKS);
    const worker = grantableTasks((scope) => scope === 'runners:manage' || scope === 'tasks:execute');
    expect(worker.map(({ id }) => id)).toEqual(['worker']);
  });
});

describe('expiryOf', () => {
  it('adds days to now', () => {
    expect(expiryOf('30', new Date('2026-11-27T12:00:00Z'))).toBe('2026-12-27T12:00:00.000Z');
    expect(expiryOf('', new Date())).toBeNull();
  });
});
