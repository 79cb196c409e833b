import { commandLineOf, parentOf } from '../provision/process-identity.js';

const CHECK_INTERVAL_MS = 500;

/**
 * Calls `onExit` once if the npm process that started this one ends without forwarding a signal, for example by
 * SIGKILL. A shell between npm and this process counts as part of npm. Does nothing if this process was not started by
 * npm: a shell may end after it has started a background process. Returns the function that stops watching.
 */
export function watchLauncher(onExit: () => void): () => void {
  if (!process.env['npm_lifecycle_script']?.includes('tools/run.mjs')) return () => undefined;
  const expected = ancestors(process.pid);
  const timer = setInterval(() => {
    if (expected.every(([child, parent]) => parentOf(child) === parent)) return;
    clearInterval(timer);
    onExit();
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Returns the pairs of process and parent from this process up to npm. */
function ancestors(pid: number): [number, number][] {
  const parent = pid === process.pid ? process.ppid : parentOf(pid);
  if (parent === undefined || parent <= 1) return [];
  const isShell = /^\S*\b(sh|dash|bash|zsh)( |$)/.test(commandLineOf(parent) ?? '');
  return [[pid, parent], ...(isShell ? ancestors(parent) : [])];
}
