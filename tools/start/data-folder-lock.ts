import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../provision/make-folder.js';
import { startTimeOf } from '../provision/process-identity.js';
import { ProvisionError } from '../provision/provision-error.js';

interface Holder {
  readonly pid: number;
  /** A process id alone is reused; together with its start it is not. */
  readonly startTime: string;
}

/** In words, what keeps a folder from being written to. */
const reasons: Readonly<Record<string, string>> = {
  EROFS: 'it is on a read-only file system',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  ENOENT: 'no folder can be made there',
  ENOTDIR: 'a part of its path is a file',
};

const NOBODY: Holder = { pid: 0, startTime: 'never' };

/**
 * Makes this process the only one that runs on a data folder, until the returned function is called or the process is
 * gone: a lock whose process no longer runs is taken over.
 */
export function lockDataFolder(dataDir: string): () => void {
  const lock = join(dataDir, 'start.lock');
  const own = `${lock}.${process.pid}`;
  writeOwn(dataDir, own);
  try {
    for (let holder = take(own, lock); holder !== undefined; holder = take(own, lock)) {
      if (lives(holder)) throw inUse(dataDir, holder.pid);
    }
  } finally {
    rmSync(own, { force: true });
  }
  return () => release(lock);
}

/**
 * Makes the lock ours, or answers who held it a moment ago. A lock is removed by its holder only or, once that is gone,
 * under a lock of its own: of two processes that find the same dead holder the slower one would remove the lock of the
 * faster one otherwise.
 */
function take(own: string, lock: string): Holder | undefined {
  if (tryLink(own, lock)) return undefined;
  const holder = readHolder(lock);
  if (holder === undefined) return NOBODY;
  if (lives(holder)) return holder;
  const takeOver = `${lock}.stale`;
  if (take(own, takeOver) !== undefined) return holder;
  try {
    // One look: a holder that lives may let go between two, and another one take the lock.
    const present = readHolder(lock);
    if (present !== undefined && !lives(present)) rmSync(lock);
  } finally {
    release(takeOver);
  }
  return take(own, lock);
}

function release(lock: string): void {
  if (readHolder(lock)?.pid === process.pid) rmSync(lock, { force: true });
}

function lives({ pid, startTime }: Holder): boolean {
  return startTimeOf(pid) === startTime;
}

function writeOwn(dataDir: string, own: string): void {
  const holder: Holder = { pid: process.pid, startTime: startTimeOf(process.pid) ?? '' };
  try {
    // Others may pass through but not look: Postgres may have to run as another account. What lies inside is closed.
    makeFolder(dataDir, 0o711);
    // One that a former process of the same id left is perhaps a link to a lock: to be replaced, not written to.
    rmSync(own, { force: true });
    writeFileSync(own, JSON.stringify(holder), { mode: 0o600 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new ProvisionError(`The disk that holds ${dataDir} is full.`, 'Free some space, then start again.');
    }
    throw new ProvisionError(
      `Cannot write to the data folder ${dataDir}: ${reasons[code ?? ''] ?? message}.`,
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

/** Undefined when there is no lock. One that nobody can read is held by nobody that lives. */
function readHolder(lock: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(lock, 'utf8')) as Partial<Holder>;
    if (typeof holder.pid === 'number' && holder.startTime !== undefined) return holder as Holder;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  }
  return NOBODY;
}

function inUse(dataDir: string, pid: number): ProvisionError {
  return new ProvisionError(
    `The platform already runs on ${dataDir} (process ${pid}).`,
    'Use that one, stop it, or set DATA_DIR to another folder.',
  );
}
