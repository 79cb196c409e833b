import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { createTestDatabase, type TestDatabase } from '@app/testing';
import pg from 'pg';
import { compiled } from '../provision/project-root.js';
import { removeRunState, writeRunState } from '../start/run-state.js';
import { admin as runAdmin } from './admin.js';

let database: TestDatabase;
let store: pg.Client;
let emptyFolder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  store = new pg.Client({ connectionString: database.url });
  await store.connect();
  emptyFolder = mkdtempSync(join(tmpdir(), 'admin-test-'));
  process.env['DATABASE_URL'] = database.url;
});

afterAll(async () => {
  await store.end();
  await database.drop();
  rmSync(emptyFolder, { recursive: true });
});

interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built tool in a child process, as npm does. */
function adminProcess(args: readonly string[], env: NodeJS.ProcessEnv = { DATABASE_URL: database.url }): Result {
  return spawnSync(process.execPath, [compiled('bundles/admin'), ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], DATA_DIR: emptyFolder, ...env },
  });
}

/** Runs the tool in this process, which is faster. */
async function admin(args: readonly string[]): Promise<Result> {
  const output = { stdout: '', stderr: '' };
  const to = (name: keyof typeof output): { write(text: string): void } => ({
    write: (text) => {
      output[name] += text;
    },
  });
  return { status: await runAdmin(args, to('stdout'), to('stderr')), ...output };
}

async function json(...args: string[]): Promise<unknown> {
  return JSON.parse((await admin(args)).stdout);
}

async function storedKey(key: string): Promise<unknown> {
  const hash = createHash('sha256').update(key).digest('hex');
  const { rows } = await store.query<object>('SELECT organization_id, name, scopes FROM api_keys WHERE hash = $1', [
    hash,
  ]);
  return rows[0];
}

describe('npm run admin', () => {
  it('creates an organization with an admin key and prints exactly one line of JSON', async () => {
    const { status, stdout, stderr } = adminProcess(['create-org', '--name', 'acme']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^\{"organization_id":"[^"]+","key_id":"key_[^"]+","api_key":"ak_[0-9A-Za-z]{36}"\}\n$/);
    const { organization_id, api_key } = JSON.parse(stdout) as Record<string, string>;
    expect(await storedKey(api_key ?? '')).toEqual({ organization_id, name: 'admin', scopes: ['admin'] });
    const queues = await store.query('SELECT name FROM worker_queues WHERE organization_id = $1', [organization_id]);
    expect(queues.rows).toEqual([{ name: 'default' }]);
  });

  it('rejects a duplicate name with one line and exit code 1', async () => {
    await admin(['create-org', '--name', 'duplicate']);
    const { status, stdout, stderr } = await admin(['create-org', '--name', 'duplicate']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^An organization named duplicate already exists\n$/);
  });

  it('creates a key with the requested scopes in an organization given by slug or id', async () => {
    const created = (await json('create-org', '--name', 'Key Owners')) as Record<string, string>;
    for (const organization of ['key-owners', created['organization_id'] ?? '']) {
      const args = ['--name', 'worker', '--scopes', 'runners:manage,tasks:execute'];
      const { status, stdout } = await admin(['create-key', '--org', organization, ...args]);
      expect(status).toBe(0);
      const { api_key, key_id, organization_id } = JSON.parse(stdout) as Record<string, string>;
      expect(key_id).toMatch(/^key_/);
      expect(organization_id).toBe(created['organization_id']);
      expect(await storedKey(api_key ?? '')).toEqual({
        organization_id,
        name: 'worker',
        scopes: ['runners:manage', 'tasks:execute'],
      });
    }
  });

  it('creates users and keys that act for them, and suspends and activates users', async () => {
    const owner = ['--owner-email', 'Grace@acme.test', '--owner-name', 'Grace'];
    const { organization_id } = (await json('create-org', '--name', 'owned', ...owner)) as Record<string, string>;
    const created = await json('create-user', '--org', 'owned', '--email', 'ada@acme.test', '--name', 'Ada');
    expect(created).toEqual({ organization_id, user_id: expect.any(String) });
    const { user_id } = created as { user_id: string };
    const ada = { id: user_id, email: 'ada@acme.test', name: 'Ada', status: 'active', groups: [] };
    expect(await json('list-users', '--org', 'owned')).toEqual([
      { ...ada, created_at: expect.any(String) },
      expect.objectContaining({ email: 'Grace@acme.test', name: 'Grace' }),
    ]);
    const key = ['create-key', '--org', 'owned', '--scopes', 'tasks:read', '--name'];
    for (const user of ['ADA@acme.test', user_id]) await admin([...key, 'of Ada', '--user', user]);
    await admin([...key, 'of nobody']);
    const users = (
      (await json('list-keys', '--org', 'owned')) as { name: string; user_name: string; user_email: string }[]
    ).map(({ name, user_name, user_email }) => [name, user_name, user_email]);
    expect(users).toEqual([
      ['of nobody', 'admin', null],
      ['of Ada', 'Ada', 'ada@acme.test'],
      ['of Ada', 'Ada', 'ada@acme.test'],
      ['admin', 'Grace', 'Grace@acme.test'],
    ]);
    const named = ['--org', 'owned', '--user', 'ada@acme.test'];
    expect(await json('suspend-user', ...named)).toEqual({ organization_id, user_id, status: 'suspended' });
    const refused = await admin([...key, 'x', '--user', user_id]);
    expect({ status: refused.status, stderr: refused.stderr }).toEqual({
      status: 1,
      stderr: 'The user Ada is suspended: keys cannot be created for suspended users\n',
    });
    expect(await json('activate-user', ...named)).toEqual({ organization_id, user_id, status: 'active' });
    const taken = await admin(['create-user', '--org', 'owned', '--email', 'ADA@acme.test']);
    expect(taken).toMatchObject({ status: 1, stderr: expect.stringContaining('exists already') });
    expect(await admin([...key, 'x', '--user', 'nobody'])).toMatchObject({ status: 1, stderr: 'User not found\n' });
  });

  it('lists and revokes the keys of an organization', async () => {
    const created = (await json('create-org', '--name', 'revoker')) as Record<string, string>;
    const keyId = created['key_id'] ?? '';
    const list = (): Promise<unknown> => json('list-keys', '--org', 'revoker');
    expect(await list()).toEqual([expect.objectContaining({ id: keyId, name: 'admin', scopes: ['admin'] })]);
    expect(JSON.stringify(await list())).not.toContain('ak_');
    const revoke = ['revoke-key', '--org', 'revoker', '--key', keyId];
    expect(JSON.parse((await admin(revoke)).stdout)).toMatchObject({ key_id: keyId, revoked: true });
    expect(await list()).toEqual([]);
    expect(await admin(revoke)).toMatchObject({ status: 1, stdout: '', stderr: 'API key not found\n' });
  });

  it.each([
    ['an unknown scope', ['--org', 'scoped', '--scopes', 'admin,fly'], 'Unknown scope: fly'],
    ['an expiry in the past', ['--org', 'scoped', '--scopes', 'admin', '--expires-at', '2020-01-01'], 'in the future'],
  ])('rejects %s', async (_what, args, message) => {
    await admin(['create-org', '--name', 'scoped']);
    const { status, stdout, stderr } = await admin(['create-key', '--name', 'x', ...args]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(message)]);
  });

  it('names the command that lists the organizations if an organization is unknown', async () => {
    expect(await admin(['list-keys', '--org', 'missing'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'Organization not found.\n  List them: npm run --silent admin -- list-orgs\n',
    });
  });

  it('lists the organizations by age, oldest first', async () => {
    await admin(['create-org', '--name', 'listed one']);
    await admin(['create-org', '--name', 'listed two']);
    const slugs = ((await json('list-orgs')) as { slug: string }[]).map(({ slug }) => slug);
    expect(slugs.filter((slug) => slug.startsWith('listed'))).toEqual(['listed-one', 'listed-two']);
  });

  it('uses the database and the default model of the platform that runs on the data folder', async () => {
    const urls = { databaseUrl: database.url, redisUrl: '', controlPlaneUrl: '', platformApiUrl: '' };
    writeRunState(emptyFolder, { ...urls, defaultModel: 'acme/model' });
    try {
      const { status, stdout } = adminProcess(['create-org', '--name', 'running'], {});
      const { organization_id } = JSON.parse(stdout) as Record<string, string>;
      const models = await store.query('SELECT value FROM models WHERE organization_id = $1', [organization_id]);
      expect([status, models.rows]).toEqual([0, [{ value: 'acme/model' }]]);
    } finally {
      removeRunState(emptyFolder);
    }
  });

  it('explains what to do when no platform runs and DATABASE_URL is not set', () => {
    const { status, stdout, stderr } = adminProcess(['list-orgs'], {});
    expect({ status, stdout }).toEqual({ status: 69, stdout: '' });
    expect(stderr).toContain(`No platform is running on the data folder ${emptyFolder}`);
    expect(stderr).toContain('npm start');
  });

  it('reports an unreachable database without its password', () => {
    const { status, stderr } = adminProcess(['list-orgs'], { DATABASE_URL: 'postgres://user:hidden@127.0.0.1:1/none' });
    expect(status).toBe(69);
    expect(stderr).toContain('The database is not reachable');
    expect(stderr).not.toContain('hidden');
  });

  it('refers to its help when the command line is invalid', () => {
    const { status, stdout, stderr } = adminProcess(['create-org']);
    expect({ status, stdout }).toEqual({ status: 64, stdout: '' });
    expect(stderr).toMatch(/^create-org requires --name\n.*--help/);
  });

  it('names the invalid setting', () => {
    const { status, stderr } = adminProcess(['list-orgs'], { DATABASE_URL: 'mysql://127.0.0.1/none' });
    expect(status).toBe(78);
    expect(stderr).toContain('DATABASE_URL');
  });
});
