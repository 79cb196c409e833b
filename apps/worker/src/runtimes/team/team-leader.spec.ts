import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@app/kernel';
import { readLease, type Lease } from '../../control-plane/lease.js';
import { wireLease } from '../../testing/wire-lease.js';
import { leaderOf, memberIdsOf, memberToolsOf } from './team-leader.js';

const NOW = new Date('2026-01-02T03:04:05Z');

function leaseOf(configuration: JsonObject, more: JsonObject = {}): Lease {
  const team = { id: 't', name: 'crew', runtime: null, configuration, agents: [{ id: 'a' }, { id: 'b' }], ...more };
  const lease = readLease({ ...wireLease(), agent: null, team }, Date.now());
  if (lease === null) throw new Error('invalid lease');
  return lease;
}

describe('the leader of a team', () => {
  it('is built from the configuration of the team', () => {
    const configuration = {
      instructions: 'Ask {{dependencies.who}} about {{ dependencies.what.first }} and {{other}}',
      dependencies: { who: 'Ada', what: { first: 'owls' } },
      llm: { temperature: 0.5 },
      markdown: true,
      add_datetime_to_instructions: true,
    };
    expect(leaderOf(leaseOf(configuration, { runtime: 'acme_code' }), NOW)).toEqual({
      id: 't',
      name: 'crew',
      description: null,
      systemPrompt: 'Ask Ada about owls and {{other}}\n\nAnswer in Markdown.\n\nIt is 2026-01-02T03:04:05.000Z.',
      runtime: 'acme_code',
      configuration,
      llmConfig: { temperature: 0.5 },
    });
  });

  it('without a configuration has the default runtime and no system prompt', () => {
    const leader = leaderOf(leaseOf({ instructions: '' }), NOW);
    expect(leader).toMatchObject({ systemPrompt: null, runtime: 'default', llmConfig: {} });
  });

  it('has the members in the order of the team, with the tools that the team allows', () => {
    expect(memberIdsOf(leaseOf({}))).toEqual(['a', 'b']);
    expect(memberToolsOf(leaseOf({ tools: [] }))).toBeNull();
    expect(memberToolsOf(leaseOf({ tools: [{ name: 'add' }, { other: 1 }] }))).toEqual(new Set(['add']));
  });
});
