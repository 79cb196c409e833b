import { commandLineOf, parentOf } from '../provision/process-identity.js';

const intervalMs = 500;

/**
 * Calls back once when npm, under which this process was started, is gone: killed, so that no signal came. npm starts
 * commands through a shell, which may stand in between; a command started without npm watches nobody, since a shell
 * that ends after starting something in the background is no reason to stop.
 */
export function watchLauncher(vanished: () => void): () => void {
  if (!process.env['npm_lifecycle_script']?.includes('tools/run.mjs')) return () => undefined;
  const expected = ancestors(process.pid);
  const timer = setInterval(() => {
    if (expected.every(([child, parent]) => parentOf(child) === parent)) return;
    clearInterval(timer);
    vanished();
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Pairs of process and parent, from this process up to npm. */
function ancestors(pid: number): [number, number][] {
  const parent = pid === process.pid ? process.ppid : parentOf(pid);
  if (parent === undefined || parent <= 1) return [];
  const isShell = /^\S*\b(sh|dash|bash|zsh)( |$)/.test(commandLineOf(parent) ?? '');
  return [[pid, parent], ...(isShell ? ancestors(parent) : [])];
}
