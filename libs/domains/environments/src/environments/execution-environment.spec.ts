import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@app/kernel';
import fc from 'fast-check';
import { integrationIdsIn, resolveExecutionEnvironment, resolveVariables } from './execution-environment.js';

describe('resolveVariables', () => {
  it('merges all layers; later ones override earlier ones', () => {
    const environment = { env_vars: { REGION: 'eu', LEVEL: 'info' } };
    const agent = { env_vars: { LEVEL: 'debug' }, secrets: ['TOKEN'] };
    expect(resolveVariables([environment, agent])).toEqual({ REGION: 'eu', LEVEL: 'debug' });
  });

  it('encodes values that are not strings as JSON', () => {
    expect(resolveVariables([{ env_vars: { N: 1, ON: true, LIST: [1, 'a'] } }])).toEqual({
      N: '1',
      ON: 'true',
      LIST: '[1,"a"]',
    });
  });

  it('removes a variable that is null in a later layer', () => {
    expect(resolveVariables([{ env_vars: { A: 'x' } }, { env_vars: { A: null } }])).toEqual({});
  });

  it('ignores layers without variables', () => {
    expect(resolveVariables([{}, { env_vars: ['A=1'] }, { env_vars: 'A=1' }])).toEqual({});
  });
});

describe('integrationIdsIn', () => {
  it('returns each id once, in order of first occurrence', () => {
    const environments = [
      { integration_ids: ['b', 'a'] },
      {},
      { integration_ids: 'c' },
      { integration_ids: ['a', 1, 'd'] },
    ];
    expect(integrationIdsIn(environments)).toEqual(['b', 'a', 'd']);
  });
});

describe('resolveExecutionEnvironment', () => {
  const agent = { env_vars: { API: 'a' }, mcp_servers: { tools: { command: 'tools' } } };

  it('does not pass variables that only the start sets to MCP servers', () => {
    const environment = { env_vars: { API: 'b', NEW: 'c', GONE: null }, mcp_servers: { mine: { url: 'http://x' } } };
    const resolved = resolveExecutionEnvironment([agent], { environment, mayOverride: true });
    expect(resolved.variables).toEqual({ API: 'b', NEW: 'c' });
    expect(resolved.withheldVariables).toEqual({ tools: ['NEW'] });
  });

  it('passes variables that a layer lists in start_variables to MCP servers', () => {
    const layers = [{ start_variables: ['NEW'] }, agent];
    const start = { environment: { env_vars: { NEW: 'c' } }, mayOverride: false };
    expect(resolveExecutionEnvironment(layers, start).withheldVariables).toEqual({});
  });

  it('accepts only new variables from a start that must not override', () => {
    const environment = {
      ...{ env_vars: { API: 'b', NEW: 'c' }, mcp_servers: { tools: null, mine: { url: 'http://x' } } },
      ...{ secrets: ['API'], start_variables: ['NEW'] },
    };
    expect(resolveExecutionEnvironment([agent], { environment, mayOverride: false })).toEqual({
      variables: { API: 'a', NEW: 'c' },
      secrets: [],
      plainVariables: ['NEW'],
      mcpServers: { tools: { command: 'tools' } },
      withheldVariables: { tools: ['NEW'] },
    });
  });
});

/** The value after all layers: searched from the last layer backwards, the first layer with the name decides. */
function naiveVariables(layers: readonly JsonObject[]): Record<string, string> {
  const found: Record<string, string> = {};
  const decided: string[] = [];
  for (const { env_vars: variables } of layers.toReversed()) {
    if (typeof variables !== 'object' || variables === null || Array.isArray(variables)) continue;
    for (const [name, value] of Object.entries(variables)) {
      if (decided.includes(name)) continue;
      decided.push(name);
      if (value !== null) found[name] = typeof value === 'string' ? value : JSON.stringify(value);
    }
  }
  return found;
}

describe('the merge of layers', () => {
  const name = fc.constantFrom('A', 'B', 'C', 'D', 'toString', 'constructor');
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.integer()));
  const secrets = fc.array(name, { maxLength: 4 });
  const layer: fc.Arbitrary<JsonObject> = fc.oneof(
    { weight: 8, arbitrary: fc.record({ env_vars: fc.dictionary(name, value), secrets }, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.record({ env_vars: fc.constantFrom(null, 'A=1', ['A=1']), secrets: fc.constant('A') }) },
  );
  const layers = fc.array(layer, { maxLength: 8 });

  it('equals a naive model: the last layer that has a variable decides, and null removes it', () => {
    fc.assert(fc.property(layers, (given) => expect(resolveVariables(given)).toEqual(naiveVariables(given))));
  });

  it('merges the names of secrets, each once and in first-seen order', () => {
    fc.assert(
      fc.property(layers, (given) => {
        const names: string[] = [];
        for (const { secrets: listed } of given) {
          for (const one of Array.isArray(listed) ? listed : []) if (!names.includes(one)) names.push(one);
        }
        const start = { environment: {}, mayOverride: false };
        expect(resolveExecutionEnvironment(given, start).secrets).toEqual(names);
      }),
    );
  });

  it('applies a start that may override as the last layer, and only the new variables of any other start', () => {
    fc.assert(
      fc.property(layers, layer, (given, environment) => {
        const resolved = (mayOverride: boolean): Readonly<Record<string, string>> =>
          resolveExecutionEnvironment(given, { environment, mayOverride }).variables;
        expect(resolved(true)).toEqual(naiveVariables([...given, environment]));
        const owned = given.flatMap(({ env_vars: variables }) =>
          typeof variables === 'object' && !Array.isArray(variables) ? Object.keys(variables ?? {}) : [],
        );
        const started = Object.entries(naiveVariables([environment])).filter(([one]) => !owned.includes(one));
        expect(resolved(false)).toEqual({ ...naiveVariables(given), ...Object.fromEntries(started) });
      }),
    );
  });
});
