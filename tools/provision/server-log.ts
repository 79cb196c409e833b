import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';

const rotateAboveBytes = 5 * 1024 * 1024;
const readAtMostBytes = 64 * 1024;

/** Puts a log that has grown large aside (one generation is kept); called before a server starts. */
export function rotateLog(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > rotateAboveBytes) renameSync(path, `${path}.1`);
}

/** What was appended to a log from `start` on; of a long text its end. */
export function readLog(path: string, start = 0): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const size = fstatSync(file).size;
    const from = Math.max(start, size - readAtMostBytes, 0);
    const buffer = Buffer.alloc(Math.max(size - from, 0));
    readSync(file, buffer, 0, buffer.length, from);
    return buffer.toString();
  } finally {
    closeSync(file);
  }
}

export function lastLines(text: string, count: number): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-count);
}
