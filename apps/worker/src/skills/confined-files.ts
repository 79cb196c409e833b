import { constants } from 'node:fs';
import { mkdir, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { confinedPath } from '../workspace/confined-path.js';

/** Maximum size of a file that a tool writes, in bytes: the limit of the control plane. */
const MAX_WRITTEN_BYTES = 10 * 1_048_576;
const MAX_READ_BYTES = 65_536;
const MAX_LISTED = 500;

/** The files in one folder, by relative paths that never leave it. */
export class ConfinedFiles {
  /** `folder`: an absolute path without links. */
  constructor(private readonly folder: string) {}

  /**
   * Returns at most `MAX_READ_BYTES` bytes of a file from `offset`, as text, with the size of the file and the offset
   * at which the text ends.
   */
  async read(
    path: string,
    offset: number,
  ): Promise<{ readonly text: string; readonly size: number; readonly end: number }> {
    const file = await this.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile()) throw new Error(`${path} is not a file`);
      const buffer = Buffer.alloc(Math.max(0, Math.min(MAX_READ_BYTES, found.size - offset)));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
      return { text: buffer.toString('utf8', 0, bytesRead), size: found.size, end: offset + bytesRead };
    } finally {
      await file.close();
    }
  }

  /** Creates or replaces a file, with the folders above it. Returns its size in bytes. */
  async write(path: string, content: Uint8Array): Promise<number> {
    if (content.byteLength > MAX_WRITTEN_BYTES) {
      throw new Error(`A file has at most ${MAX_WRITTEN_BYTES / 1_048_576} MiB`);
    }
    await mkdir(dirname(await confinedPath(this.folder, path)), { recursive: true });
    const file = await this.open(
      path,
      constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK,
    );
    try {
      await file.writeFile(content);
      return content.byteLength;
    } finally {
      await file.close();
    }
  }

  /** Returns the names in a folder, folders with a slash at the end, at most `MAX_LISTED`. */
  async list(path: string): Promise<string[]> {
    const entries = await readdir(await confinedPath(this.folder, path), { withFileTypes: true });
    const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).toSorted();
    if (names.length <= MAX_LISTED) return names;
    return [...names.slice(0, MAX_LISTED), `[${names.length - MAX_LISTED} more]`];
  }

  /** Deletes a file, or a folder with everything in it. */
  async delete(path: string): Promise<void> {
    const target = await confinedPath(this.folder, path);
    if (relative(this.folder, target) === '') throw new Error('The workspace itself cannot be deleted');
    await stat(target);
    await rm(target, { recursive: true });
  }

  /** A link that takes the place of the file after the path was checked is not followed. */
  private async open(path: string, flags: number): Promise<FileHandle> {
    return open(await confinedPath(this.folder, path), flags | constants.O_NOFOLLOW, 0o600);
  }
}

/** Replaces system errors of a file operation by errors for the model, which contain no absolute path. */
export async function describingFailures<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null;
    if (code === null) throw error;
    throw new Error(`${path.slice(0, 200)}: ${REASONS[code] ?? code}`, { cause: error });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'this is a folder',
  ENOTDIR: 'this is not a folder',
  EACCES: 'not permitted',
  ELOOP: 'this is a link',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'the disk is full',
};
