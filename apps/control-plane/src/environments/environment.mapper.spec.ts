import { describe, expect, it } from '@jest/globals';
import type { Environment } from '@app/environments';
import type { KeyScope } from '@app/kernel';
import { testCaller } from '@app/testing';
import { toEnvironmentResponse } from './environment.mapper.js';

describe('toEnvironmentResponse', () => {
  const environment: Environment = {
    id: 'e',
    organization_id: 'o',
    name: 'n',
    display_name: '',
    description: null,
    tags: [],
    settings: {},
    execution_environment: {},
    status: 'active',
    active_workers: 0,
    idle_workers: 0,
    busy_workers: 0,
    worker_token: 'token',
    provisioned_at: new Date(0),
    error_message: null,
    created_by: null,
    created_at: new Date(0),
    updated_at: new Date(0),
  };
  const tokenFor = (...scopes: KeyScope[]) =>
    toEnvironmentResponse(environment, [], testCaller({ scopes })).worker_token;

  it('contains the worker token only for callers with the scope runners:manage', () => {
    expect(tokenFor('runners:manage')).toBe('token');
    expect(tokenFor('admin')).toBe('token');
    expect(tokenFor('runners:read', 'agents:write')).toBeNull();
  });

  it('omits unlisted columns', () => {
    const row = { ...environment, secret: 'x' };
    expect(JSON.stringify(toEnvironmentResponse(row, [], testCaller()))).not.toContain('secret');
  });
});
