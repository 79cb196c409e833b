// Locks between processes, in plain JavaScript because run.mjs needs them before anything is built.
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const RETRY_INTERVAL_MS = 100;

/**
 * Blocks until the lock is acquired and returns the function that releases it. Takes over the lock of an ended process.
 */
export function acquireLock(path) {
  const own = { content: String(process.pid), isRunning: (content) => isRunningProcess(Number(content)) };
  while (tryLock(path, own) !== undefined)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_INTERVAL_MS);
  const release = () => {
    process.off('exit', release);
    rmSync(path, { force: true });
  };
  process.on('exit', release);
  return release;
}

/**
 * Acquires the lock file for a holder and returns undefined, or returns the content of the lock file if its holder is
 * running. `isRunning` decides by that content; an unreadable lock counts as abandoned. A lock of an ended holder is taken over.
 */
export function tryLock(path, holder) {
  const own = `${path}.${process.pid}`;
  // Removed first: a file of an earlier process with the same id may be a hard link to a lock, and writing to it would
  // change that lock.
  rmSync(own, { force: true });
  writeFileSync(own, holder.content, { mode: 0o600 });
  try {
    return tryAcquire(own, path, holder);
  } finally {
    rmSync(own, { force: true });
  }
}

/**
 * An abandoned lock is removed only while holding a second lock. Otherwise, of two processes that find the same ended
 * holder, the slower one would remove the lock of the faster one.
 */
function tryAcquire(own, path, holder) {
  for (;;) {
    if (tryLink(own, path)) return undefined;
    const found = read(path);
    if (found === undefined) continue;
    if (holder.isRunning(found)) return found;
    const takeoverLock = `${path}.stale`;
    if (tryAcquire(own, takeoverLock, holder) !== undefined) return found;
    try {
      // Read only once: between two reads the lock could be released and acquired by another process.
      const current = read(path);
      if (current !== undefined && !holder.isRunning(current)) rmSync(path, { recursive: true });
    } finally {
      rmSync(takeoverLock, { force: true });
    }
  }
}

/** Creating a hard link is atomic: no process ever reads a partially written lock. */
function tryLink(own, path) {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Returns undefined if there is no lock, and an empty text for an unreadable one. */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return error.code === 'ENOENT' ? undefined : '';
  }
}

function isRunningProcess(pid) {
  if (!(pid > 0) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}
