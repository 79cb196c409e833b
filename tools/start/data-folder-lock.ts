import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTimeOf } from '../provision/process-identity.js';
import { ProvisionError } from '../provision/provision-error.js';

interface Holder {
  readonly pid: number;
  /** A process id alone is reused; together with its start it is not. */
  readonly startTime: string;
}

/**
 * Makes this process the only one that runs on a data folder, until the returned function is called or the process is
 * gone: a lock whose process no longer runs is taken over.
 */
export function lockDataFolder(dataDir: string): () => void {
  const lock = join(dataDir, 'start.lock');
  const own = `${lock}.${process.pid}`;
  writeOwn(dataDir, own);
  try {
    while (!tryLink(own, lock)) {
      const other = readHolder(lock);
      if (other !== undefined && startTimeOf(other.pid) === other.startTime) throw inUse(dataDir, other.pid);
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
  return () => {
    if (readHolder(lock)?.pid === process.pid) rmSync(lock, { force: true });
  };
}

function writeOwn(dataDir: string, own: string): void {
  const holder: Holder = { pid: process.pid, startTime: startTimeOf(process.pid) ?? '' };
  try {
    // Others may pass through but not look: Postgres may have to run as another account. What lies inside is closed.
    mkdirSync(dataDir, { recursive: true, mode: 0o711 });
    writeFileSync(own, JSON.stringify(holder), { mode: 0o600 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new ProvisionError(`The disk that holds ${dataDir} is full.`, 'Free some space, then start again.');
    }
    throw new ProvisionError(
      `Cannot write to the data folder ${dataDir}: ${message}`,
      'Set DATA_DIR to a folder that can be written.',
    );
  }
}

/** A hard link is made or refused as a whole: nobody ever reads a half-written lock. */
function tryLink(own: string, lock: string): boolean {
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readHolder(lock: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(lock, 'utf8')) as Partial<Holder>;
    return typeof holder.pid === 'number' && holder.startTime !== undefined ? (holder as Holder) : undefined;
  } catch {
    return undefined;
  }
}

function inUse(dataDir: string, pid: number): ProvisionError {
  return new ProvisionError(
    `The platform already runs on ${dataDir} (process ${pid}).`,
    'Use that one, stop it, or set DATA_DIR to another folder.',
  );
}
