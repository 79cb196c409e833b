import { constants, existsSync, type Dirent } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { sep } from 'node:path';

/** Names are bytes: on Linux they need not be UTF-8. */
type Name = string | Buffer;

/** Linux: opens a folder whatever its mode is, only for use in paths. Not in `constants`. */
const O_PATH = 0o10000000;
/** Whether a path can begin at an open folder. Elsewhere than on Linux, a folder is named by its path. */
const hasDescriptorPaths = existsSync('/proc/self/fd');
const FOLDER_FLAGS = constants.O_DIRECTORY | constants.O_NOFOLLOW | (hasDescriptorPaths ? O_PATH : constants.O_RDONLY);
/** Maximum depth of a folder that is deleted. Ends the deletion of a folder that another program keeps filling. */
const MAX_PASSES = 10_000;

/**
 * An open folder. On Linux its entries are reached from the folder itself, not by its path: a program that replaces a
 * folder above by a link cannot redirect an operation. Operations on an entry must not follow a link in the last part.
 */
export class FolderHandle {
  private constructor(
    private readonly handle: FileHandle,
    private readonly path: string | Buffer,
  ) {}

  /** Opens an absolute path. Rejects with ENOTDIR or ELOOP if one of its parts is a link. */
  static async open(path: string): Promise<FolderHandle> {
    const names = path.split(sep).filter((name) => name !== '');
    let folder = await FolderHandle.openPath(sep);
    for (const name of names) folder = await folder.replacedBy(name);
    return folder;
  }

  private static async openPath(path: string | Buffer): Promise<FolderHandle> {
    const handle = await open(path, FOLDER_FLAGS);
    return new FolderHandle(handle, hasDescriptorPaths ? `/proc/self/fd/${handle.fd}` : path);
  }

  /** Returns a path to an entry, valid while the folder is open. */
  pathOf(name: Name): Buffer {
    return Buffer.concat([Buffer.from(this.path), Buffer.from(sep), Buffer.from(name)]);
  }

  /** Opens a folder in this folder. Rejects with ENOTDIR or ELOOP if it is a link. */
  async child(name: Name): Promise<FolderHandle> {
    return FolderHandle.openPath(this.pathOf(name));
  }

  /** Like `child`, and closes this folder, also on failure. */
  async replacedBy(name: Name): Promise<FolderHandle> {
    try {
      return await this.child(name);
    } finally {
      await this.close();
    }
  }

  /** Creates a folder in this folder, unless there is an entry with this name. */
  async createChild(name: Name): Promise<void> {
    await mkdir(this.pathOf(name)).catch(ignoring('EEXIST'));
  }

  async entries(): Promise<Dirent<Buffer>[]> {
    return readdir(this.path, { withFileTypes: true, encoding: 'buffer' });
  }

  /** Deletes an entry; a folder with everything in it, whatever the modes and names in it are. */
  async remove(name: Name): Promise<void> {
    if (await this.unlinkFile(name)) return;
    const child = await this.child(name);
    try {
      await child.allow();
      for (let pass = 0; pass < MAX_PASSES; pass += 1) {
        await child.flattenAll();
        if (await this.removeEmpty(name)) return;
      }
    } finally {
      await child.close();
    }
    throw new Error('The folder is nested too deeply, or is still written to');
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  /**
   * Deletes all files and the first level of folders. The folders in these are moved to this folder, so that neither the
   * number of open folders nor the length of a path grows with the depth.
   */
  private async flattenAll(): Promise<void> {
    for (const { name } of await this.entries()) {
      if (!(await this.unlinkFile(name))) await this.flatten(name);
    }
  }

  /** Moves the folders in a folder of this folder to this folder, and deletes it. */
  private async flatten(name: Name): Promise<void> {
    const child = await this.child(name);
    try {
      await child.allow();
      for (const { name: inner } of await child.entries()) {
        if (!(await child.unlinkFile(inner))) await child.moveFolder(inner, this);
      }
    } finally {
      await child.close();
    }
    await this.removeEmpty(name);
  }

  private async moveFolder(name: Name, target: FolderHandle): Promise<void> {
    const moving = await this.child(name);
    try {
      // A folder that moves must be writable, because its entry `..` changes.
      await moving.allow();
    } finally {
      await moving.close();
    }
    await rename(this.pathOf(name), target.pathOf(randomUUID()));
  }

  /** Deletes a folder. Returns false if it has entries. */
  private async removeEmpty(name: Name): Promise<boolean> {
    try {
      await rmdir(this.pathOf(name));
      return true;
    } catch (error) {
      if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
      return false;
    }
  }

  /** Deletes an entry. Returns false if it is a folder; true if there is no such entry any more. */
  private async unlinkFile(name: Name): Promise<boolean> {
    try {
      await unlink(this.pathOf(name));
      return true;
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT') return true;
      // The code for a folder: EISDIR on Linux, EPERM in the standard.
      if (code === 'EISDIR' || code === 'EPERM') return false;
      throw error;
    }
  }

  /** Gives the owner all rights. */
  private async allow(): Promise<void> {
    await chmod(this.path, 0o700).catch(ignoring('EPERM'));
  }
}

export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}

function ignoring(code: string): (error: unknown) => void {
  return (error) => {
    if (codeOf(error) !== code) throw error;
  };
}
