import { describe, expect, it } from '@jest/globals';
import { Contract, type ApiName } from '../support/contract.js';

/** Deletions with a body, which clients read: `{id, deleted}`, or the team that lost a member. */
const WITH_BODY = [
  ...['agents/{agent_id}', 'context/{entity_type}/{entity_id}', 'models/{model}', 'policies/{policy_id}'],
  ...['skills/{skill_id}', 'teams/{team_id}/agents/{agent_id}'],
].map((path) => `control-plane /api/v1/${path}`);

const APIS: readonly ApiName[] = ['control-plane', 'platform-api'];

describe('every deletion', () => {
  it('is answered with 204 and no body, or where clients read one with 200', () => {
    const successes = APIS.flatMap((api) =>
      Contract.of(api)
        .operations.filter(({ method }) => method === 'DELETE')
        .map(({ path, responses }) => [
          `${api} ${path}`,
          Object.keys(responses).filter((status) => status.startsWith('2')),
        ]),
    );
    expect(successes.length).toBeGreaterThan(20);
    for (const [name, statuses] of successes) {
      expect([name, statuses]).toEqual([name, WITH_BODY.includes(String(name)) ? ['200'] : ['204']]);
    }
  });
});
