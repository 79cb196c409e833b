import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { environmentFor } from './settings.js';

describe('the settings of the launcher', () => {
  const before = { ...process.env };

  beforeEach(() => {
    process.env = { PATH: '/bin', LOG_LEVEL: 'warn' };
  });

  afterEach(() => {
    process.env = before;
  });

  it('reach a child process without the private variables that it does not need', () => {
    Object.assign(process.env, { DATABASE_URL: 'one', NATS_URL: 'two', OPA_TOKEN: 'three', WORKER_API_KEY: 'four' });
    expect(environmentFor({ REDIS_URL: 'five', OPA_URL: undefined })).toEqual({
      PATH: '/bin',
      LOG_LEVEL: 'warn',
      REDIS_URL: 'five',
    });
  });
});
