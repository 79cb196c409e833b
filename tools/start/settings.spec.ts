import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { environmentFor, unusedSettings } from './settings.js';

describe('the settings of a start', () => {
  const before = { ...process.env };

  beforeEach(() => {
    process.env = { PATH: '/bin', LOG_LEVEL: 'warn' };
  });

  afterEach(() => {
    process.env = before;
  });

  it('reach a child with what it needs, and without the addresses and keys that others need', () => {
    Object.assign(process.env, { DATABASE_URL: 'one', NATS_URL: 'two', OPA_TOKEN: 'three', WORKER_API_KEY: 'four' });
    expect(environmentFor({ REDIS_URL: 'five', OPA_URL: undefined })).toEqual({
      PATH: '/bin',
      LOG_LEVEL: 'warn',
      REDIS_URL: 'five',
    });
  });

  it('are named where they have no effect, without their values', () => {
    expect(unusedSettings()).toEqual([]);
    process.env['NATS_URL'] = 'nats://user:password@host';
    expect(unusedSettings()).toEqual([expect.stringMatching(/^NATS_URL is set, but this version does not use NATS/)]);
    expect(unusedSettings().join()).not.toContain('password');
  });
});
