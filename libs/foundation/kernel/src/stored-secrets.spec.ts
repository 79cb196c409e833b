import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DomainError } from './errors.js';
import type { JsonObject } from './json.js';
import {
  ENVIRONMENT_SECRETS,
  INTEGRATION_SECRETS,
  mayHideSecrets,
  MCP_SERVER_SECRETS,
  presentSecrets,
  PROJECT_SECRETS,
  restoreSecrets,
  type SecretPlaces,
} from './stored-secrets.js';

const server = {
  url: 'https://tools.example.com',
  args: ['-v'],
  headers: { Authorization: 'Bearer s3cret', 'X-Org': null },
  env: { TOKEN: 's3cret', PORT: 80 },
};
const environment = {
  env_vars: { TOKEN: 's3cret', LIMIT: { at: 3 }, PLAIN: '***', GONE: null },
  secrets: ['TOKEN', 'LIMIT', 'GONE', 'elsewhere'],
  mcp_servers: { tools: server, off: null, odd: { headers: 's3cret' } },
  working_dir: 'src',
};
const configuration = {
  host: 's3cret',
  ports: [1, [true]],
  env_vars: { TOKEN: 's3cret' },
  secrets: ['TOKEN'],
  start_variables: ['USER'],
  none: null,
};

const hiddenServer = {
  ...server,
  headers: { Authorization: '***', 'X-Org': null },
  env: { TOKEN: '***', PORT: '***' },
};
const hiddenEnvironment = {
  ...environment,
  env_vars: { TOKEN: '***', LIMIT: '***', PLAIN: '***', GONE: null },
  mcp_servers: { tools: hiddenServer, off: null, odd: { headers: '***' } },
};

const KINDS: [string, SecretPlaces, JsonObject, JsonObject][] = [
  ['an execution environment', ENVIRONMENT_SECRETS, environment, hiddenEnvironment],
  ['an MCP server', MCP_SERVER_SECRETS, server, hiddenServer],
  [
    'the settings of a project',
    PROJECT_SECRETS,
    { ...environment, execution_environment: environment },
    { ...environment, execution_environment: hiddenEnvironment },
  ],
  [
    'the configuration of an integration',
    INTEGRATION_SECRETS,
    configuration,
    { ...configuration, host: '***', ports: ['***', ['***']], env_vars: { TOKEN: '***' } },
  ],
];

describe('presentSecrets', () => {
  it.each(KINDS)('hides the secret values of %s, and nothing else', (_kind, places, stored, hidden) => {
    expect(JSON.stringify(presentSecrets(places, stored, false))).toBe(JSON.stringify(hidden));
    expect(presentSecrets(places, stored, true)).toBe(stored);
  });

  it('accepts objects of any form', () => {
    for (const odd of [{ env_vars: [], secrets: 3, mcp_servers: 'x' }, { env_vars: null, secrets: [null] }, {}]) {
      expect(presentSecrets(ENVIRONMENT_SECRETS, odd, false)).toEqual(odd);
    }
  });
});

describe('restoreSecrets', () => {
  it.each(KINDS)('returns what is stored for what was shown of %s', (_kind, places, stored, hidden) => {
    expect(JSON.stringify(restoreSecrets(places, hidden, stored, []))).toBe(JSON.stringify(stored));
  });

  it('is the inverse of hiding, for any object', () => {
    const places = fc.constantFrom(...KINDS.map(([, kind]) => kind));
    const json = fc.oneof(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })),
      fc.record({
        env_vars: fc.dictionary(fc.constantFrom('A', 'B', '__proto__'), fc.jsonValue()),
        secrets: fc.array(fc.constantFrom('A', 'B', '__proto__')),
        mcp_servers: fc.dictionary(fc.string(), fc.record({ headers: fc.jsonValue(), env: fc.jsonValue() })),
      }),
    );
    fc.assert(
      fc.property(places, json, (kind, sent) => {
        const stored = JSON.parse(JSON.stringify(sent)) as JsonObject;
        const shown = presentSecrets(kind, stored, false);
        expect(JSON.stringify(restoreSecrets(kind, shown, stored, []))).toBe(JSON.stringify(stored));
      }),
    );
  });

  it('names each `***` of which no value is stored', () => {
    const sent = {
      env_vars: { TOKEN: '***', NEW: '***', PLAIN: '***' },
      secrets: ['TOKEN', 'NEW'],
      mcp_servers: { renamed: { headers: { Authorization: '***' } } },
    };
    const restore = () => restoreSecrets(ENVIRONMENT_SECRETS, sent, environment, ['execution_environment']);
    expect(faultsOf(restore)).toEqual([
      'execution_environment.env_vars.NEW',
      'execution_environment.mcp_servers.renamed.headers.Authorization',
    ]);
    const shorter = { ...configuration, ports: ['***'] };
    expect(faultsOf(() => restoreSecrets(INTEGRATION_SECRETS, shorter, configuration, []))).toEqual(['ports.0']);
  });

  it('does not give the secret of one item of a list to another item', () => {
    const list = [
      { name: 'A', token: 'of A' },
      { name: 'B', token: 'of B' },
    ];
    const restore = (sent: readonly object[]): unknown =>
      restoreSecrets(INTEGRATION_SECRETS, { list: sent }, { list }, []);
    const hidden = list.map(({ name }) => ({ name, token: '***' }));
    expect(restore(hidden)).toEqual({ list });
    expect(restore(list.map(() => ({ name: '***', token: '***' })))).toEqual({ list });
    expect(faultsOf(() => restore(hidden.toReversed()))).toEqual(['list.0.token', 'list.1.token']);
  });

  it('keeps a value whose name the write removes from `secrets`, and stores new values', () => {
    const sent = { env_vars: { TOKEN: '***', LIMIT: 'new' }, secrets: ['LIMIT'] };
    expect(restoreSecrets(ENVIRONMENT_SECRETS, sent, environment, [])).toEqual({
      env_vars: { TOKEN: 's3cret', LIMIT: 'new' },
      secrets: ['LIMIT'],
    });
    expect([environment, sent].map(mayHideSecrets)).toEqual([true, true]);
    expect([{ a: '**' }, undefined].map(mayHideSecrets)).toEqual([false, false]);
  });
});

function faultsOf(act: () => unknown): string[] {
  try {
    act();
  } catch (error) {
    return (error as DomainError).faults.map(({ path }) => path.join('.'));
  }
  return [];
}
