import { describe, expect, it } from '@jest/globals';
import type { JsonObject, KeyScope } from '@app/kernel';
import { checkBroughtEnvironment } from './brought-environment.js';

const by =
  (...scopes: KeyScope[]) =>
  (environment: JsonObject | undefined) =>
  (): void =>
    checkBroughtEnvironment({ scopes }, environment);

describe('what a caller brings to a run', () => {
  it.each<JsonObject>([
    { mcp_servers: { shell: { command: '/bin/sh', args: ['-c', 'id'] } } },
    { mcp_servers: { both: { url: 'https://tools.example', command: 'id' } } },
    { env_vars: { NODE_OPTIONS: '--import=x' } },
    { env_vars: { Ld_Preload: 'x.so' } },
    { secrets: ['PATH'] },
  ])('needs agents:write for %j', (environment) => {
    expect(by('tasks:execute')(environment)).toThrow(/agents:write/);
    expect(by('tasks:execute', 'agents:write')(environment)).not.toThrow();
    expect(by('admin')(environment)).not.toThrow();
  });

  it.each<JsonObject | undefined>([
    undefined,
    {},
    { env_vars: { REGION: 'eu' }, secrets: ['token'], working_dir: '/srv' },
    { mcp_servers: { tools: { url: 'https://tools.example', headers: { a: 'b' } } } },
    { mcp_servers: 'nonsense', env_vars: 'nonsense' },
  ])('is free for %j', (environment) => {
    expect(by('tasks:execute')(environment)).not.toThrow();
  });
});
