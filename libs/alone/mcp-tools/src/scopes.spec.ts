import { describe, expect, it } from '@jest/globals';
import { scopesOf } from './scopes.js';

const call = (name: unknown): object => ({ method: 'tools/call', params: { name } });

describe('scopesOf', () => {
  it.each([
    ['list_workflows', ['read']],
    ['create_workflow', ['write']],
    ['execute_workflow', ['execute']],
    ['get_execution', ['read']],
    ['cancel_execution', ['execute']],
    ['delete_workflow', ['admin']],
    ['run_greet', ['read', 'execute']],
    ['toString', ['execute']],
  ])('requires the scopes of the tool %s', (name, scopes) => expect(scopesOf(call(name))).toEqual(scopes));

  it('requires the scope of tools that run a workflow for a call without a name', () => {
    for (const message of [call(undefined), { method: 'tools/call', params: null }, { method: 'tools/call' }]) {
      expect(scopesOf(message)).toEqual(['execute']);
    }
  });

  it('requires `read` for what shows workflows', () => {
    for (const method of ['resources/list', 'resources/read', 'prompts/list', 'prompts/get']) {
      expect(scopesOf({ method })).toEqual(['read']);
    }
  });

  it('requires no scope for messages that show nothing', () => {
    for (const message of [
      null,
      1,
      'text',
      {},
      { method: 'initialize' },
      { method: 'tools/list' },
      { method: 'ping' },
    ]) {
      expect(scopesOf(message)).toEqual([]);
    }
  });
});
