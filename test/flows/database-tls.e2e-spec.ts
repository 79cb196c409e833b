import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, DatabaseModule, endStatementsWith, ReadEnded } from '@app/database';
import { createTestDatabase, eventually, testRedisUrl } from '@app/testing';
import { Test, type TestingModule } from '@nestjs/testing';
import { findOnPath } from '../../tools/provision/commands.js';
import { checkPostgres } from '../../tools/provision/postgres-connection.js';
import { provisionPostgres, type PostgresServer } from '../../tools/provision/postgres.js';

/** Only the database that the start of the server uses accepts connections without TLS. */
const ACCESS = `host postgres all 127.0.0.1/32 scram-sha-256
hostssl all all 127.0.0.1/32 scram-sha-256
`;
const SLEEP = 'SELECT pg_sleep(30)';
const openssl = findOnPath('openssl');
const ROOT = join(__dirname, '..', '..');

/** Creates certificates of an authority and of a server `localhost`, with the programs of OpenSSL. */
class Certificates {
  constructor(private readonly folder: string) {}

  path(name: string): string {
    return join(this.folder, name);
  }

  authority(name: string): string {
    const files = ['-keyout', this.path(`${name}.key`), '-out', this.path(`${name}.crt`)];
    this.run('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`, ...files);
    return this.path(`${name}.crt`);
  }

  server(authority: string): void {
    const [key, request, names] = ['server.key', 'server.csr', 'names.cnf'].map((name) => this.path(name));
    writeFileSync(String(names), 'subjectAltName=DNS:localhost\n');
    this.run(
      'req',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      '/CN=localhost',
      '-keyout',
      `${key}`,
      '-out',
      `${request}`,
    );
    const signer = ['-CA', this.path(`${authority}.crt`), '-CAkey', this.path(`${authority}.key`), '-CAcreateserial'];
    const out = this.path('server.crt');
    this.run('x509', '-req', '-in', `${request}`, ...signer, '-days', '2', '-extfile', `${names}`, '-out', out);
  }

  private run(...args: readonly string[]): void {
    const { status, stderr } = spawnSync(openssl ?? '', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args[0]} failed: ${stderr}`);
  }
}

(openssl === undefined ? describe.skip : describe)('PostgreSQL that requires TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tls-'));
  const certificates = new Certificates(folder);
  let server: PostgresServer;
  let authority: string;
  let stranger: string;
  let byName: string;
  let app: TestingModule | undefined;
  const env = { ...process.env };

  beforeAll(async () => {
    authority = certificates.authority('authority');
    stranger = certificates.authority('stranger');
    certificates.server('authority');
    const access = certificates.path('access.conf');
    writeFileSync(access, ACCESS);
    server = await provisionPostgres({
      // Owned by the account of the server, with the files that it reads.
      dataDir: folder,
      durableInit: false,
      settings: {
        ssl: 'on',
        ssl_cert_file: certificates.path('server.crt'),
        ssl_key_file: certificates.path('server.key'),
        hba_file: access,
      },
    });
    byName = server.url.replace('127.0.0.1', 'localhost');
  });

  afterEach(async () => {
    process.env = env;
    await app?.close();
    app = undefined;
  });

  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(url: string, ca?: string): Promise<Database> {
    process.env = { ...env, DATABASE_URL: url, ...(ca === undefined ? {} : { DATABASE_CA_FILE: ca }) };
    app = await Test.createTestingModule({ imports: [DatabaseModule] }).compile();
    return app.get(Database);
  }

  const isEncrypted = async (database: Database): Promise<unknown> =>
    (await database.sql<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'))[0]?.ssl;

  it('is used with the certificate of its authority, which the environment or the URL names', async () => {
    expect(await isEncrypted(await open(`${byName}?sslmode=verify-full`, authority))).toBe(true);
    await app?.close();
    expect(await isEncrypted(await open(byName, authority))).toBe(true);
    await app?.close();
    expect(await isEncrypted(await open(`${byName}?sslrootcert=${authority}`))).toBe(true);
  });

  it('cancels statements over TLS', async () => {
    const database = await open(byName, authority);
    const end = new AbortController();
    const sleeping = endStatementsWith(end.signal, () => database.sql(SLEEP));
    const running = `SELECT 1 FROM pg_stat_activity WHERE query = '${SLEEP}' AND state = 'active'`;
    await eventually(async () => expect(await database.sql(running)).toHaveLength(1));
    end.abort(new ReadEnded('The client is gone'));
    await expect(sleeping).rejects.toMatchObject({ code: '57014' });
    await eventually(async () => expect(await database.sql(running)).toHaveLength(0));
  });

  it('is refused with the certificate of another authority, or of none', async () => {
    const refused =
      /DATABASE_URL: the certificate of localhost:\d+ is not signed by a trusted authority .*DATABASE_CA_FILE/;
    await expect(open(byName, stranger)).rejects.toThrow(refused);
    for (const mode of ['require', 'verify-full']) {
      await expect(open(`${byName}?sslmode=${mode}`)).rejects.toThrow(refused);
    }
    expect(await isEncrypted(await open(`${byName}?sslmode=no-verify`))).toBe(true);
  });

  it('is refused under another host name, unless only the authority is checked', async () => {
    const refused = /DATABASE_URL: the certificate of 127\.0\.0\.1:\d+ is for another host name .*sslmode=verify-ca/;
    await expect(open(`${server.url}?sslmode=verify-full`, authority)).rejects.toThrow(refused);
    await expect(open(`${server.url}?sslmode=require`, authority)).rejects.toThrow(refused);
    await expect(open(`${server.url}?sslmode=verify-ca`, stranger)).rejects.toThrow(
      /not signed by a trusted authority/,
    );
    expect(await isEncrypted(await open(`${server.url}?sslmode=verify-ca`, authority))).toBe(true);
  });

  it('refuses connections without TLS, with an error that names the setting', async () => {
    const refused =
      /DATABASE_URL: localhost:\d+ accepts connections with TLS only.*sslmode=verify-full.*DATABASE_CA_FILE/;
    await expect(open(byName)).rejects.toThrow(refused);
    await expect(open(`${byName}?sslmode=disable`, authority)).rejects.toThrow(refused);
    const plain = await createTestDatabase();
    await expect(open(`${plain.url}?sslmode=verify-full`)).rejects.toThrow(
      /DATABASE_URL requires TLS .* which 127\.0\.0\.1:\d+ does not offer/,
    );
    await plain.drop();
  });

  it('is checked by the launcher with the same settings', async () => {
    await expect(checkPostgres(`${byName}?sslmode=verify-full`, { caFile: authority })).resolves.toBeUndefined();
    await expect(checkPostgres(`${byName}?sslmode=verify-full`, { caFile: stranger })).rejects.toThrow(
      /cannot be used: .*DATABASE_CA_FILE/,
    );
  });

  it('ends the start of a process with one line', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'dist/bundles/control-plane.js')], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], DATABASE_URL: byName, DATABASE_CA_FILE: stranger, REDIS_URL: testRedisUrl() },
      timeout: 100_000,
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^control-plane cannot start: DATABASE_URL: the certificate of .*DATABASE_CA_FILE.*\n$/);
  });
});
