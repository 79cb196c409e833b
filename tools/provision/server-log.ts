import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';

const MAX_LOG_BYTES = 5 * 1024 * 1024;
const MAX_READ_BYTES = 64 * 1024;

/** Renames a log of more than 5 MiB to `<path>.1`, replacing the one before. Called before a server starts. */
export function rotateLog(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
}

/** Returns what was appended to a log after the offset `start`, at most the last 64 KiB. */
export function readLog(path: string, start = 0): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const size = fstatSync(file).size;
    const from = Math.max(start, size - MAX_READ_BYTES, 0);
    const buffer = Buffer.alloc(Math.max(size - from, 0));
    readSync(file, buffer, 0, buffer.length, from);
    return buffer.toString();
  } finally {
    closeSync(file);
  }
}

/** Returns the last `count` lines that are not blank. */
export function lastLines(text: string, count: number): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-count);
}
