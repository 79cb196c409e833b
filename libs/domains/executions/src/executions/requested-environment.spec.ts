import { describe, expect, it } from '@jest/globals';
import type { JsonObject, KeyScope } from '@app/kernel';
import {
  checkIntegrationEnvironment,
  checkKeptSecrets,
  checkNewVariables,
  checkRequestedEnvironment,
} from './requested-environment.js';

const check =
  (...scopes: KeyScope[]) =>
  (environment: JsonObject | undefined) =>
  (): void =>
    checkRequestedEnvironment({ scopes }, environment);

describe('checkRequestedEnvironment', () => {
  it.each<[JsonObject, RegExp]>([
    [{ mcp_servers: { shell: { command: '/bin/sh', args: ['-c', 'id'] } } }, /mcp_servers/],
    [{ mcp_servers: { both: { url: 'https://tools.example', command: 'id' } } }, /mcp_servers/],
    [{ mcp_servers: { tools: { url: 'https://tools.example/${TOKEN}' } } }, /mcp_servers/],
    [{ mcp_servers: { search: null } }, /mcp_servers/],
    [{ mcp_servers: 'nonsense' }, /mcp_servers/],
    [{ secrets: ['PATH'] }, /secrets/],
    [{ integration_ids: ['i'] }, /integration_ids/],
    [{ working_dir: '/srv' }, /working_dir/],
    [{ start_variables: ['A'] }, /start_variables/],
    [{ env_vars: { NODE_OPTIONS: '--import=x' } }, /NODE_OPTIONS/],
    [{ env_vars: { Ld_Preload: 'x.so' } }, /Ld_Preload/],
    [{ env_vars: { https_proxy: 'http://me' } }, /https_proxy/],
    [{ env_vars: { npm_config_registry: 'http://me' } }, /npm_config_registry/],
    [{ env_vars: { UV_INDEX_URL: 'http://me' } }, /UV_INDEX_URL/],
    [{ env_vars: { SSL_CERT_FILE: '/tmp/x' } }, /SSL_CERT_FILE/],
    [{ env_vars: { AWS_CONFIG_FILE: '/tmp/credential_process' } }, /AWS_CONFIG_FILE/],
    [{ env_vars: { LESSOPEN: '|id %s' } }, /LESSOPEN/],
    [{ env_vars: { OPENAI_BASE_URL: 'http://me' } }, /OPENAI_BASE_URL/],
    // In the environment of a process, this name sets the variable NODE_OPTIONS.
    [{ env_vars: { 'NODE_OPTIONS=--import=x': '' } }, /NODE_OPTIONS=/],
    [{ env_vars: { ['TICKET\n']: '7' } }, /TICKET/],
    [{ env_vars: { '': '7' } }, /variable ""/],
    [{ env_vars: { MINE: 'secret:DATABASE_PASSWORD' } }, /MINE/],
  ])('requires agents:write for %j', (environment, part) => {
    expect(check('tasks:execute')(environment)).toThrow(/agents:write/);
    expect(check('tasks:execute')(environment)).toThrow(part);
    expect(check('tasks:execute', 'agents:write')(environment)).not.toThrow();
    expect(check('admin')(environment)).not.toThrow();
  });

  it.each<JsonObject | undefined>([
    undefined,
    {},
    { env_vars: { REGION: 'eu', COUNT: 3, ON: true, NODE_ENV: 'production' } },
    { env_vars: { REGION: 'eu' }, secrets: [], integration_ids: null, mcp_servers: {}, working_dir: '' },
    { env_vars: 'nonsense' },
  ])('requires no scope for %j', (environment) => {
    expect(check('tasks:execute')(environment)).not.toThrow();
  });
});

describe('checkIntegrationEnvironment', () => {
  const obeyed = { env_vars: { PATH: '/tmp' } };
  const servers = { mcp_servers: { a: { command: 'sh' } } };

  it.each([[servers], [{ start_variables: ['A'] }], [obeyed]])('requires agents:write for %j', (environment) => {
    expect(() => checkIntegrationEnvironment({ scopes: ['integrations:write'] }, environment)).toThrow(/agents:write/);
    expect(() => checkIntegrationEnvironment({ scopes: ['agents:write'] }, environment)).not.toThrow();
  });

  it('accepts variables, also secret ones, and keys that runs do not use', () => {
    const environment = { env_vars: { TOKEN: 'secret:T' }, secrets: ['TOKEN'], mcp_servers: {}, host: 'example.org' };
    expect(() => checkIntegrationEnvironment({ scopes: [] }, environment)).not.toThrow();
  });
});

describe('checkKeptSecrets', () => {
  const before = { secrets: ['TOKEN'], env_vars: { TOKEN: 'secret:T' } };
  const check = (scope: 'agents:write' | 'integrations:write', after: JsonObject) => (): void =>
    checkKeptSecrets({ scopes: [scope] }, before, after);

  it.each<[JsonObject]>([[{}], [{ secrets: [] }], [{ secrets: ['OTHER'] }], [{ secrets: 'TOKEN' }]])(
    'requires agents:write for %j, which no longer redacts a value that the stored environment redacts',
    (after) => {
      expect(check('integrations:write', after)).toThrow(/agents:write.*"TOKEN"/);
      expect(check('agents:write', after)).not.toThrow();
    },
  );

  it('accepts further names', () => {
    expect(check('integrations:write', { secrets: ['OTHER', 'TOKEN'] })).not.toThrow();
  });
});

describe('checkNewVariables', () => {
  const layers = [
    { name: 'the environment lab', environment: { env_vars: { REGION: 'eu' } } },
    { name: 'the agent 7', environment: { env_vars: { API_URL: 'https://api.example', GONE: null } } },
  ];

  it('accepts variables that no layer sets', () => {
    expect(() => checkNewVariables({ env_vars: { TICKET: '7' } }, layers)).not.toThrow();
    expect(() => checkNewVariables(undefined, layers)).not.toThrow();
  });

  it.each([
    [{ API_URL: 'https://evil.example' }, 'the agent 7 sets the variable API_URL'],
    [{ TICKET: '7', REGION: null }, 'the environment lab sets the variable REGION'],
    [{ GONE: 'x' }, 'the agent 7 sets the variable GONE'],
  ])('rejects %j, naming the variable and the layer', (env_vars, message) => {
    expect(() => checkNewVariables({ env_vars }, layers)).toThrow(message);
  });
});
