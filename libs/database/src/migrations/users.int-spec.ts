import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, type TestContext } from '@app/testing';
import { Users1800000030000 } from './1800000030000-users.js';

const KEYS = `
  INSERT INTO api_keys (id, organization_id, name, hash, prefix, last_four, scopes, user_id, user_name, user_email, created_at)
  VALUES
    ('k1', 'acme', 'admin', 'h1', '', '', '{admin}', 'u1', 'admin', NULL, '2026-01-01Z'),
    ('k2', 'acme', 'reports', 'h2', '', '', '{}', 'u1', 'admin', NULL, '2026-01-03Z'),
    ('k3', 'acme', 'worker', 'h3', '', '', '{}', 'u2', 'worker', 'W@acme.test', '2026-01-02Z'),
    ('k4', 'acme', 'other', 'h4', '', '', '{}', 'u3', NULL, 'w@acme.test', '2026-01-04Z'),
    ('k5', 'other', 'admin', 'h5', '', '', '{admin}', 'u4', 'admin', NULL, '2026-01-01Z')`;
/** A job that runs for a user whose keys were deleted, and one for a user with keys. */
const JOBS = `
  INSERT INTO jobs (id, organization_id, name, trigger_type, prompt_template, enabled, cron_timezone, planning_mode,
    executor_type, config, execution_environment, may_override_environment, runs_as, runs_as_email, created_by, updated_by,
    created_at, updated_at)
  SELECT runs_as, 'acme', 'job', 'webhook', 'p', true, 'UTC', 'predefined_agent', 'auto', '{}', '{}', false, runs_as,
    'gone@acme.test', 'u1', 'u1', '2026-01-01Z', '2026-01-01Z'
  FROM unnest('{gone,u1}'::text[]) runs_as`;
const ORGANIZATIONS = `
  INSERT INTO organizations (id, name, slug, created_at, updated_at)
  SELECT id, id, id, '2026-01-01Z', '2026-01-01Z' FROM unnest('{acme,other,keyless}'::text[]) id`;

describe('the migration to users', () => {
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([]);
  });

  afterAll(() => context.close());

  it('creates a user for each user that keys contain, makes one the service user of the organization, and can be reverted', async () => {
    const migration = new Users1800000030000();
    const runner = context.database.dataSource.createQueryRunner();
    await migration.down(runner);
    await runner.query(ORGANIZATIONS);
    await runner.query(KEYS);
    await runner.query(JOBS);
    await migration.up(runner);
    const users = await context.database.sql(
      `SELECT organization_id AS organization, id, name, email, email_key, service FROM users
       WHERE organization_id <> 'keyless' ORDER BY organization_id, id`,
    );
    expect(users).toEqual([
      { organization: 'acme', id: 'gone', name: 'gone@acme.test', email: null, email_key: null, service: false },
      { organization: 'acme', id: 'u1', name: 'admin', email: null, email_key: null, service: true },
      {
        organization: 'acme',
        id: 'u2',
        name: 'worker',
        email: 'W@acme.test',
        email_key: 'w@acme.test',
        service: false,
      },
      { organization: 'acme', id: 'u3', name: 'w@acme.test', email: null, email_key: null, service: false },
      { organization: 'other', id: 'u4', name: 'admin', email: null, email_key: null, service: true },
    ]);
    const keyless = await context.database.sql(
      `SELECT name, service, acted, status FROM users WHERE organization_id = 'keyless'`,
    );
    expect(keyless).toEqual([{ name: 'admin', service: true, acted: false, status: 'active' }]);
    await migration.down(runner);
    const keys = await context.database.sql('SELECT id, user_id, user_name, user_email FROM api_keys ORDER BY id');
    expect(keys).toEqual([
      { id: 'k1', user_id: 'u1', user_name: 'admin', user_email: null },
      { id: 'k2', user_id: 'u1', user_name: 'admin', user_email: null },
      { id: 'k3', user_id: 'u2', user_name: 'worker', user_email: 'W@acme.test' },
      { id: 'k4', user_id: 'u3', user_name: 'w@acme.test', user_email: null },
      { id: 'k5', user_id: 'u4', user_name: 'admin', user_email: null },
    ]);
    await runner.release();
  });
});
