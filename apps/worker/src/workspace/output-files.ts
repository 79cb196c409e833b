import { headOf } from '@app/kernel';
import { open, readdir } from 'node:fs/promises';
import { constants } from 'node:fs';
import { join } from 'node:path';
import { lookup } from 'mime-types';

const MIB = 1_048_576;
/** Limits of the files of one run. The control plane accepts more files, and the same sizes. */
const MAX_FILE_BYTES = 10 * MIB;
const MAX_TOTAL_BYTES = 50 * MIB;
const MAX_NAME_LENGTH = 255;
const MAX_FILES = 200;
/**
 * Maximum number of files and folders that are visited. Bounds the time that a run with very many files takes to end.
 */
const MAX_ENTRIES = 10_000;
const UNKNOWN_TYPE = 'application/octet-stream';

/** A file that a run has written. */
export interface OutputFile {
  /** Path relative to the folder of the run, with slashes. */
  readonly name: string;
  readonly contentType: string;
  readonly content: Uint8Array;
}

export interface SkippedFile {
  readonly name: string;
  readonly reason: string;
}

/**
 * Yields the files in a folder, breadth first and by name. Skips names that begin with a dot and `node_modules`, which
 * belong to tools, and everything that is neither a regular file nor a folder, such as symbolic links. Adds the files
 * that exceed a limit to `skipped`.
 */
export async function* outputFiles(folder: string, skipped: SkippedFile[]): AsyncGenerator<OutputFile> {
  const folders = [''];
  let [entries, files, bytes] = [0, 0, 0];
  for (let current = folders.shift(); current !== undefined; current = folders.shift()) {
    const children = await readdir(join(folder, current), { withFileTypes: true });
    for (const child of children.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      entries += 1;
      if (entries > MAX_ENTRIES) {
        skipped.push({ name: current, reason: `only ${MAX_ENTRIES} files and folders are visited` });
        return;
      }
      if (child.name.startsWith('.') || child.name === 'node_modules') continue;
      const name = current === '' ? child.name : `${current}/${child.name}`;
      if (child.isDirectory()) folders.push(name);
      if (!child.isFile()) continue;
      const read = files < MAX_FILES ? await readFile(folder, name) : `a run has at most ${MAX_FILES} files`;
      const excess = typeof read === 'string' ? read : excessOf(bytes + read.byteLength);
      if (typeof read === 'string' || excess !== null) {
        skipped.push({ name: headOf(name, MAX_NAME_LENGTH), reason: excess ?? '' });
        continue;
      }
      files += 1;
      bytes += read.byteLength;
      yield { name, contentType: lookup(name) || UNKNOWN_TYPE, content: read };
    }
  }
}

function excessOf(bytes: number): string | null {
  return bytes > MAX_TOTAL_BYTES ? `the files of a run have at most ${MAX_TOTAL_BYTES / MIB} MiB together` : null;
}

/** Returns the content of a file, or why it cannot be stored. */
async function readFile(folder: string, name: string): Promise<Uint8Array | string> {
  if (name.length > MAX_NAME_LENGTH) return `its path has more than ${MAX_NAME_LENGTH} characters`;
  try {
    // A link may have taken the place of the file; a pipe would block.
    const file = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await file.stat();
      return size > MAX_FILE_BYTES ? `it has more than ${MAX_FILE_BYTES / MIB} MiB` : await file.readFile();
    } finally {
      await file.close();
    }
  } catch {
    return 'it cannot be read';
  }
}
