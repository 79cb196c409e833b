import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { eventually } from '@app/testing';
import { provisionPostgres } from '../../tools/provision/postgres.js';
import type { ProvisionedServer } from '../../tools/provision/provisioned-server.js';
import { provisionRedis } from '../../tools/provision/redis.js';
import { SmallDisk } from './small-disk.js';

/** A part of the folder of a PostgreSQL server: its tables, its write-ahead log, or all of its data. */
export type PostgresPart = 'cluster/base' | 'cluster/pg_wal' | 'cluster';

const MEGABYTES = 160;
/** So that the write-ahead log does not fill the disk by itself. */
const LOG_SIZE = { max_wal_size: '64MB', min_wal_size: '32MB' };

/** A server with a disk that a test can fill. */
export class StoreOnDisk {
  private hasExited = false;
  private isSupervised = false;
  private filling: NodeJS.Timeout | undefined;

  private constructor(
    private readonly disk: SmallDisk,
    private readonly server: ProvisionedServer,
    private readonly folder: string,
  ) {
    this.watch();
  }

  /** Starts a PostgreSQL of which one part is on the disk. */
  static async postgres(part: PostgresPart): Promise<StoreOnDisk> {
    const disk = SmallDisk.mount(MEGABYTES);
    const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
    const server = await provisionPostgres({ dataDir: folder, durableInit: false, settings: LOG_SIZE });
    await server.stop();
    const [from, to] = [join(folder, part), join(disk.folder, basename(part))];
    const { status, stderr } = spawnSync('mv', [from, to], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`The move failed: ${stderr}`);
    symlinkSync(to, from);
    await server.restart();
    return new StoreOnDisk(disk, server, folder);
  }

  /** Starts a Redis whose append-only file is on the disk. */
  static async redis(settings: readonly string[]): Promise<StoreOnDisk> {
    const disk = SmallDisk.mount(MEGABYTES);
    const folder = mkdtempSync(join(tmpdir(), 'redis-'));
    symlinkSync(disk.folder, join(folder, 'data'));
    return new StoreOnDisk(disk, await provisionRedis({ dataDir: folder, settings }), folder);
  }

  get url(): string {
    return this.server.url;
  }

  /** Keeps the disk full, also when the server deletes files of its own. */
  fill(): void {
    this.isSupervised = false;
    this.filling = setInterval(() => this.disk.fill(), 50);
    this.disk.fill();
  }

  /** Frees the space, and starts the server again if it has ended or is about to, as its supervisor does. */
  async free(): Promise<void> {
    clearInterval(this.filling);
    this.disk.free();
    this.isSupervised = true;
    if (this.hasExited) await this.restart();
  }

  async remove(): Promise<void> {
    this.isSupervised = false;
    clearInterval(this.filling);
    await this.server.stop();
    this.disk.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private watch(): void {
    this.hasExited = false;
    void this.supervise();
  }

  private async supervise(): Promise<void> {
    await this.server.exited;
    this.hasExited = true;
    if (this.isSupervised) await this.restart();
  }

  private async restart(): Promise<void> {
    await eventually(() => this.server.restart());
    this.watch();
  }
}
