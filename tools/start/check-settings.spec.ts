import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '@app/config';
import { checkSettings } from './check-settings.js';

describe('checkSettings', () => {
  it('accepts an empty environment, because the launcher provides stores, addresses and keys', () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ CONTROL_PLANE_PORT: '0', PLATFORM_API_PORT: '0' })).toEqual([]);
  });

  it('reports the faults of all apps at once, each exactly once', () => {
    const faults = faultsOf({
      LOG_LEVEL: 'loud',
      BOOTSTRAP_ADMIN_KEY: 'short',
      POLICY_MAX_MS: 'soon',
      PLATFORM_API_PORT: 'x',
      DATABASE_URL: 'mysql://h',
      WORKER_CONCURRENCY: '0',
      MODEL_GATEWAY_PORT: '-1',
    });
    expect(faults.map((fault) => fault.split(':')[0] ?? '').toSorted()).toEqual([
      'BOOTSTRAP_ADMIN_KEY',
      'DATABASE_URL',
      'LOG_LEVEL',
      'MODEL_GATEWAY_PORT',
      'PLATFORM_API_PORT',
      'POLICY_MAX_MS',
      'WORKER_CONCURRENCY',
    ]);
  });

  it('rejects an admin key that no request header can carry or that is too short or long', () => {
    for (const key of ['a-space-at-its-end ', 'accént-0123456789', 'k'.repeat(513)]) {
      const faults = faultsOf({ BOOTSTRAP_ADMIN_KEY: key });
      expect(faults).toEqual([expect.stringMatching(/^BOOTSTRAP_ADMIN_KEY: /)]);
      expect(faults.join()).not.toContain(key);
    }
    for (const key of ['a-key-of-my-own-0123', 'a key with spaces in it', `ak_${'A'.repeat(36)}`]) {
      expect(faultsOf({ BOOTSTRAP_ADMIN_KEY: key })).toEqual([]);
    }
  });

  it('rejects the same port for both servers, including default ports', () => {
    const fault = expect.stringMatching(/^PLATFORM_API_PORT: .*CONTROL_PLANE_PORT/);
    expect(faultsOf({ CONTROL_PLANE_PORT: '3001' })).toEqual([fault]);
    expect(faultsOf({ CONTROL_PLANE_PORT: '4000', PLATFORM_API_PORT: '4000' })).toEqual([fault]);
    const faultOfTools = expect.stringMatching(/^TOOL_SERVER_PORT: 3001 .*PLATFORM_API_PORT/);
    expect(faultsOf({ TOOL_SERVER_PORT: '3001' })).toEqual([faultOfTools]);
    expect(faultsOf({ CONTROL_PLANE_PORT: '3002' })).toEqual([]);
  });
});

function faultsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    checkSettings(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}
