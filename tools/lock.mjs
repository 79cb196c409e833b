// A lock between processes for what runs before anything is built.
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const pauseMs = 100;

/** Waits until the lock is ours; answers what lets it go. A lock whose process is gone is taken over. */
export function takeLock(path) {
  const own = `${path}.${process.pid}`;
  // One that a former process of the same id left is perhaps a link to a lock: to be replaced, not written to.
  rmSync(own, { force: true });
  writeFileSync(own, String(process.pid));
  try {
    while (!take(own, path)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  } finally {
    rmSync(own, { force: true });
  }
  const release = () => {
    process.off('exit', release);
    rmSync(path, { force: true });
  };
  process.on('exit', release);
  return release;
}

/**
 * A lock is removed by its holder only or, once that is gone, under a lock of its own: of two processes that find the
 * same dead holder the slower one would remove the lock of the faster one otherwise.
 */
function take(own, path) {
  if (link(own, path)) return true;
  if (!isAbandoned(path)) return false;
  const takeOver = `${path}.stale`;
  if (!take(own, takeOver)) return false;
  try {
    if (isAbandoned(path)) rmSync(path, { recursive: true });
  } finally {
    rmSync(takeOver, { force: true });
  }
  return link(own, path);
}

/** A hard link is made or refused as a whole: nobody ever reads a half-written lock. */
function link(own, path) {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether the lock is there and its holder is not; one that nobody can read counts as abandoned. */
function isAbandoned(path) {
  const pid = holderOf(path);
  if (pid === undefined) return false;
  if (!(pid > 0) || pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function holderOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch (error) {
    return error.code === 'ENOENT' ? undefined : Number.NaN;
  }
}
