import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from '../lock.js';
import { makeFolder } from '../provision/make-folder.js';
import { startTimeOf } from '../provision/process-identity.js';
import { ProvisionError } from '../provision/provision-error.js';

interface Holder {
  readonly pid: number;
  /** Process ids are reused, so a holder is identified by its id and start time. */
  readonly startTime: string;
}

const NO_HOLDER: Holder = { pid: 0, startTime: 'never' };

const ERROR_REASONS: Readonly<Record<string, string>> = {
  EROFS: 'it is on a read-only file system',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  ENOENT: 'no folder can be created there',
  ENOTDIR: 'a part of its path is a file',
};

/**
 * Acquires the lock of a data folder and returns the function that releases it. Throws ProvisionError if another
 * running process holds it; takes over the lock of an ended process.
 */
export function lockDataFolder(dataDir: string): () => void {
  const lock = join(dataDir, 'start.lock');
  const own: Holder = { pid: process.pid, startTime: startTimeOf(process.pid) ?? '' };
  const holder = tryToLock(dataDir, lock, own);
  if (holder !== undefined) throw inUseError(dataDir, parseHolder(holder).pid);
  return () => release(lock);
}

function tryToLock(dataDir: string, lock: string, own: Holder): string | undefined {
  try {
    // Other accounts may traverse but not list it: Postgres may run as another account. Everything inside is private.
    makeFolder(dataDir, 0o711);
    return tryLock(lock, { content: JSON.stringify(own), isRunning: (content) => isRunning(parseHolder(content)) });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new ProvisionError(`The disk that holds ${dataDir} is full.`, 'Free some space, then start again.');
    }
    throw new ProvisionError(
      `Cannot write to the data folder ${dataDir}: ${ERROR_REASONS[code ?? ''] ?? message}.`,
      'Set DATA_DIR to a writable folder.',
    );
  }
}

function release(lock: string): void {
  try {
    if (parseHolder(readFileSync(lock, 'utf8')).pid === process.pid) rmSync(lock, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function isRunning({ pid, startTime }: Holder): boolean {
  return startTimeOf(pid) === startTime;
}

/** An unreadable lock is treated as that of an ended process. */
function parseHolder(content: string): Holder {
  try {
    const holder = JSON.parse(content) as Partial<Holder>;
    if (typeof holder.pid === 'number' && holder.startTime !== undefined) return holder as Holder;
  } catch {
    // Not JSON: written by a process that was interrupted.
  }
  return NO_HOLDER;
}

function inUseError(dataDir: string, pid: number): ProvisionError {
  return new ProvisionError(
    `The platform is already running on ${dataDir} (process ${pid}).`,
    'Use it, stop it, or set DATA_DIR to another folder.',
  );
}
