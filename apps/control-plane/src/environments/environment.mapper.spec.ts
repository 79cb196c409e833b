import { describe, expect, it } from '@jest/globals';
import type { Environment } from '@app/environments';
import type { KeyScope } from '@app/kernel';
import { testCaller } from '@app/testing';
import { toEnvironmentResponse } from './environment.mapper.js';

describe('an environment on the wire', () => {
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
  const tokenFor = (...scopes: KeyScope[]) => toEnvironmentResponse(environment, testCaller({ scopes })).worker_token;

  it('shows the worker token to those who may start workers, and to nobody else', () => {
    expect(tokenFor('runners:manage')).toBe('token');
    expect(tokenFor('admin')).toBe('token');
    expect(tokenFor('runners:read', 'agents:write')).toBeNull();
  });

  it('leaves out what a row may have beside the listed fields', () => {
    const row = { ...environment, secret: 'x' };
    expect(JSON.stringify(toEnvironmentResponse(row, testCaller()))).not.toContain('secret');
  });
});
