import { constants } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { ConfinedPath } from '../workspace/confined-path.js';
import { codeOf } from '../workspace/folder-handle.js';

/** Maximum size of a file that a tool writes, in bytes: the limit of the control plane. */
const MAX_WRITTEN_BYTES = 10 * 1_048_576;
const MAX_READ_BYTES = 65_536;
const MAX_LISTED = 500;
const WRITING = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK;

/**
 * The files in one folder, by relative paths that never leave it, also while a container or another program writes to
 * the folder.
 */
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
    const file = await ConfinedPath.openFile(this.folder, path, constants.O_RDONLY | constants.O_NONBLOCK);
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
    const file = await ConfinedPath.openFile(this.folder, path, WRITING);
    try {
      await file.writeFile(content);
      return content.byteLength;
    } finally {
      await file.close();
    }
  }

  /** Returns the names in a folder, folders with a slash at the end, at most `MAX_LISTED`. */
  async list(path: string): Promise<string[]> {
    const place = { root: this.folder, path, isCreating: false };
    const entries = await ConfinedPath.inFolder(place, (folder) => folder.entries());
    const names = entries
      .map((entry) => (entry.isDirectory() ? `${entry.name.toString()}/` : entry.name.toString()))
      .toSorted();
    if (names.length <= MAX_LISTED) return names;
    return [...names.slice(0, MAX_LISTED), `[${names.length - MAX_LISTED} more]`];
  }

  /** Deletes a file, a link, or a folder with everything in it. */
  async delete(path: string): Promise<void> {
    await ConfinedPath.inParent(this.folder, path, async (parent, name) => {
      if (name === null) throw new Error('The workspace itself cannot be deleted');
      await lstat(parent.pathOf(name));
      await parent.remove(name);
    });
  }
}

/** Replaces system errors of a file operation by errors for the model, which contain no absolute path. */
export async function describingFailures<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
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
