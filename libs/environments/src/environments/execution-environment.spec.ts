import { describe, expect, it } from '@jest/globals';
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

  it('withholds from each server the variables that only the start sets', () => {
    const environment = { env_vars: { API: 'b', NEW: 'c', GONE: null }, mcp_servers: { mine: { url: 'http://x' } } };
    const resolved = resolveExecutionEnvironment([agent], { environment, mayOverride: true });
    expect(resolved.variables).toEqual({ API: 'b', NEW: 'c' });
    expect(resolved.withheldVariables).toEqual({ tools: ['NEW'] });
  });

  it('withholds nothing that a layer declares in start_variables', () => {
    const layers = [{ start_variables: ['NEW'] }, agent];
    const start = { environment: { env_vars: { NEW: 'c' } }, mayOverride: false };
    expect(resolveExecutionEnvironment(layers, start).withheldVariables).toEqual({});
  });

  it('takes only new variables from a start that may not override', () => {
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
