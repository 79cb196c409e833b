import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { createTestDatabase, type TestDatabase } from '@app/testing';
import pg from 'pg';
import { compiled } from '../provision/project-root.js';
import { removeRunState, writeRunState } from '../start/run-state.js';

// Each test starts processes, some of them several one after another.
jest.setTimeout(60_000);

let database: TestDatabase;
let store: pg.Client;
let emptyFolder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  store = new pg.Client({ connectionString: database.url });
  await store.connect();
  emptyFolder = mkdtempSync(join(tmpdir(), 'admin-test-'));
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

/** The built tool in a process of its own, as npm starts it. */
function admin(args: readonly string[], env: NodeJS.ProcessEnv = { DATABASE_URL: database.url }): Result {
  return spawnSync(process.execPath, [compiled('tools/admin/main'), ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], DATA_DIR: emptyFolder, ...env },
  });
}

async function storedKey(key: string): Promise<unknown> {
  const hash = createHash('sha256').update(key).digest('hex');
  const { rows } = await store.query<object>('SELECT organization_id, name, scopes FROM api_keys WHERE hash = $1', [
    hash,
  ]);
  return rows[0];
}

describe('the admin tool', () => {
  it('makes an organization with an admin key and prints one line of JSON, nothing else', async () => {
    const { status, stdout, stderr } = admin(['create-org', '--name', 'acme']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^\{"organization_id":"[^"]+","api_key":"ak_[0-9A-Za-z]{36}"\}\n$/);
    const { organization_id, api_key } = JSON.parse(stdout) as Record<string, string>;
    expect(await storedKey(api_key ?? '')).toEqual({ organization_id, name: 'admin', scopes: ['admin'] });
    const queues = await store.query('SELECT name FROM worker_queues WHERE organization_id = $1', [organization_id]);
    expect(queues.rows).toEqual([{ name: 'default' }]);
  });

  it('refuses a name that is taken, with one line and a failing exit code', () => {
    admin(['create-org', '--name', 'twice']);
    const { status, stdout, stderr } = admin(['create-org', '--name', 'twice']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^An organization named twice exists already\n$/);
  });

  it('makes a key with the scopes asked for, in an organization named by slug or id', async () => {
    const made = JSON.parse(admin(['create-org', '--name', 'Key Owners']).stdout) as Record<string, string>;
    for (const organization of ['key-owners', made['organization_id'] ?? '']) {
      const args = ['--name', 'worker', '--scopes', 'runners:manage,tasks:execute'];
      const { status, stdout } = admin(['create-key', '--org', organization, ...args]);
      expect(status).toBe(0);
      const { api_key, key_id, organization_id } = JSON.parse(stdout) as Record<string, string>;
      expect(key_id).toMatch(/^key_/);
      expect(organization_id).toBe(made['organization_id']);
      expect(await storedKey(api_key ?? '')).toEqual({
        organization_id,
        name: 'worker',
        scopes: ['runners:manage', 'tasks:execute'],
      });
    }
  });

  it.each([
    ['an unknown scope', ['--org', 'scoped', '--scopes', 'admin,fly'], 'Unknown scope: fly'],
    ['an unknown organization', ['--org', 'nobody', '--scopes', 'admin'], 'Organization not found'],
    ['an expiry in the past', ['--org', 'scoped', '--scopes', 'admin', '--expires-at', '2020-01-01'], 'in the future'],
  ])('refuses %s', (_what, args, message) => {
    admin(['create-org', '--name', 'scoped']);
    const { status, stdout, stderr } = admin(['create-key', '--name', 'x', ...args]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(message)]);
  });

  it('lists the organizations, oldest first', () => {
    admin(['create-org', '--name', 'listed one']);
    admin(['create-org', '--name', 'listed two']);
    const slugs = (JSON.parse(admin(['list-orgs']).stdout) as { slug: string }[]).map(({ slug }) => slug);
    expect(slugs.filter((slug) => slug.startsWith('listed'))).toEqual(['listed-one', 'listed-two']);
  });

  it('finds the database of the platform that runs on the data folder', () => {
    writeRunState(emptyFolder, { databaseUrl: database.url, redisUrl: '', controlPlaneUrl: '', platformApiUrl: '' });
    try {
      expect(admin(['create-org', '--name', 'running'], {})).toMatchObject({ status: 0, stderr: '' });
    } finally {
      removeRunState(emptyFolder);
    }
  });

  it('says what to do where no platform runs and no database is named', () => {
    const { status, stdout, stderr } = admin(['list-orgs'], {});
    expect({ status, stdout }).toEqual({ status: 69, stdout: '' });
    expect(stderr).toContain(`No platform runs on the data folder ${emptyFolder}`);
    expect(stderr).toContain('npm start');
  });

  it('says that the database does not answer, without its password', () => {
    const { status, stderr } = admin(['list-orgs'], { DATABASE_URL: 'postgres://user:hidden@127.0.0.1:1/none' });
    expect(status).toBe(69);
    expect(stderr).toContain('The database does not answer');
    expect(stderr).not.toContain('hidden');
  });

  it('points to its usage where the command line is not understood', () => {
    const { status, stdout, stderr } = admin(['create-org']);
    expect({ status, stdout }).toEqual({ status: 64, stdout: '' });
    expect(stderr).toMatch(/^create-org needs --name\n.*--help/);
  });

  it('names the variable that is wrong', () => {
    const { status, stderr } = admin(['list-orgs'], { DATABASE_URL: 'mysql://127.0.0.1/none' });
    expect(status).toBe(78);
    expect(stderr).toContain('DATABASE_URL');
  });
});
