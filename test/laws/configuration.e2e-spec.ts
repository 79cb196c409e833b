import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createTestDatabase, testRedisUrl } from '@app/testing';
import pg from 'pg';

const ROOT = join(__dirname, '..', '..');

/** `EX_CONFIG` of sysexits.h. */
const EXIT_CONFIG = 78;

describe('a process with an invalid configuration', () => {
  it.each([
    [
      'control-plane',
      { CONTROL_PLANE_ROLE: 'boss', CONTROL_PLANE_PORT: 'three', LOG_LEVEL: 'loud' },
      [
        'CONTROL_PLANE_ROLE: ',
        'CONTROL_PLANE_PORT: ',
        'LOG_LEVEL: ',
        'DATABASE_URL is missing',
        'REDIS_URL is missing',
      ],
    ],
    [
      'platform-api',
      { PLATFORM_API_PORT: '-1', SHUTDOWN_GRACE_MS: 'long', LOG_LEVEL: 'loud', SECRETS_KEY: 'short' },
      [
        'PLATFORM_API_PORT: ',
        'SHUTDOWN_GRACE_MS: ',
        'LOG_LEVEL: ',
        'SECRETS_KEY: ',
        'DATABASE_URL is missing',
        'REDIS_URL is missing',
      ],
    ],
    [
      'worker',
      { WORKER_CONCURRENCY: '0', LLM_GATEWAY_URL: 'here', LOG_LEVEL: 'loud' },
      ['WORKER_CONCURRENCY: ', 'LLM_GATEWAY_URL: ', 'LOG_LEVEL: ', 'WORKER_API_KEY is missing'],
    ],
  ])('exits with one message that lists every fault: %s', (name, env, faults) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [join(ROOT, `dist/bundles/${name}.js`)], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...env },
      timeout: 100_000,
    });
    expect({ status, stdout }).toEqual({ status: EXIT_CONFIG, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^${name} cannot start: Invalid configuration:\n`));
    for (const fault of faults) expect(stderr).toContain(`\n  ${fault}`);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('a process that runs no migrations', () => {
  it('exits with one line that names the setting if the database has no schema', async () => {
    const database = await createTestDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('DROP SCHEMA public CASCADE');
    await client.end();
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'dist/bundles/control-plane.js')], {
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: database.url,
        REDIS_URL: testRedisUrl(),
        MIGRATE_ON_START: 'false',
        CONTROL_PLANE_PORT: '0',
      },
      timeout: 100_000,
    });
    await database.drop();
    expect(status).toBe(1);
    expect(stderr).toMatch(/^control-plane cannot start: relation "\w+" does not exist: .*MIGRATE_ON_START=true.*\n$/);
  });
});
