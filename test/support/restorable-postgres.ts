import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCommand } from '../../tools/provision/commands.js';
import { freePort } from '../../tools/provision/free-port.js';
import { changeOwner, choosePostgresAccount, type PostgresAccount } from '../../tools/provision/postgres-account.js';
import { majorIn, type PostgresBinaries } from '../../tools/provision/postgres-binaries.js';
import { clusterFiles, spawnIdentity } from '../../tools/provision/postgres-cluster.js';
import { provisionPostgres, type PostgresServer } from '../../tools/provision/postgres.js';
import { findProgram, type Program } from '../../tools/provision/programs.js';
import { recordKill } from './chaos.js';
import { queryOn } from './replicated-postgres.js';

/** Undefined: neither the system nor `npm run programs` has provided a server with its programs for backups. */
export const postgresWithClients = process.platform === 'linux' ? findProgram('postgres') : undefined;

export type BackupKind = 'pg_dump' | 'pg_basebackup';

export interface Backup {
  readonly kind: BackupKind;
  readonly path: string;
}

const DATABASE = 'platform';
const ROLE = 'platform';
const PASSWORD = 'password-of-the-role';

/** A PostgreSQL that can be lost, and restored from a backup into a new one at the same address. */
export class RestorablePostgres {
  private readonly folder = mkdtempSync(join(tmpdir(), 'restorable-'));
  private readonly account: PostgresAccount;
  private server: PostgresServer | undefined;

  private constructor(
    private readonly binaries: PostgresBinaries,
    private readonly port: number,
  ) {
    this.account = choosePostgresAccount([binaries.folder, this.folder]);
    changeOwner(this.folder, this.account);
  }

  static async start({ path, env }: Program): Promise<RestorablePostgres> {
    const folder = dirname(path);
    const major = await majorIn(folder, env);
    if (major === undefined) throw new Error(`${path} does not run`);
    const postgres = new RestorablePostgres({ folder, major, env }, await freePort());
    await postgres.provision(postgres.newFolder());
    await postgres.createRole();
    return postgres;
  }

  /** The URL of the database for the role of the platform, which is the same after each restore. */
  get url(): string {
    return `postgres://${ROLE}:${PASSWORD}@127.0.0.1:${this.port}/${DATABASE}`;
  }

  async backUp(kind: BackupKind): Promise<Backup> {
    const path = this.newFolder();
    if (kind === 'pg_dump') {
      const file = join(path, 'platform.dump');
      await this.run('pg_dump', '--format=custom', `--file=${file}`, this.url);
      return { kind, path: file };
    }
    const target = clusterFiles(path).cluster;
    const options = [`--pgdata=${target}`, '--wal-method=stream', '--checkpoint=fast'];
    await this.run('pg_basebackup', ...options, `--dbname=${this.running.url}`);
    await this.run('pg_verifybackup', target);
    // The roles and their passwords are those of the server.
    writeFileSync(clusterFiles(path).password, new URL(this.running.url).password, { mode: 0o600 });
    return { kind, path };
  }

  /** Kills the server as the loss of its host does. */
  async lose(): Promise<void> {
    recordKill();
    await this.running.kill('SIGKILL');
  }

  /** Starts a new server with the content of the backup. */
  async restore({ kind, path }: Backup): Promise<void> {
    if (kind === 'pg_basebackup') return this.provision(path);
    await this.provision(this.newFolder());
    await this.createRole();
    const options = ['--exit-on-error', '--no-owner', '--no-privileges', '--jobs=2', `--dbname=${this.url}`];
    await this.run('pg_restore', ...options, path);
    await this.run('vacuumdb', '--analyze-only', `--dbname=${this.url}`);
  }

  async remove(): Promise<void> {
    await this.server?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get running(): PostgresServer {
    if (this.server === undefined) throw new Error('No PostgreSQL runs');
    return this.server;
  }

  private async provision(dataDir: string): Promise<void> {
    const { binaries, port } = this;
    // The library of the compiler may be missing in an unpacked server.
    const settings = { jit: 'off' };
    this.server = await provisionPostgres({
      dataDir,
      port,
      binaries,
      durableInit: false,
      database: DATABASE,
      settings,
    });
  }

  private async createRole(): Promise<void> {
    await queryOn(this.running, `CREATE ROLE ${ROLE} LOGIN PASSWORD '${PASSWORD}'`);
    await queryOn(this.running, `ALTER DATABASE ${DATABASE} OWNER TO ${ROLE}`);
  }

  private newFolder(): string {
    const path = mkdtempSync(join(this.folder, 'server-'));
    changeOwner(path, this.account);
    return path;
  }

  /** Runs one of the programs, with the account that runs the server. */
  private async run(name: string, ...args: readonly string[]): Promise<void> {
    const { folder, env } = this.binaries;
    const [command = '', ...rest] = [...this.account.prefix, join(folder, name), ...args];
    const options = { ...spawnIdentity(this.account), cwd: '/', env: { ...process.env, ...env } };
    const { code, output } = await runCommand(command, rest, options);
    if (code !== 0) throw new Error(`${name} failed: ${output}`);
  }
}
