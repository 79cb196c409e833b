import { mkdir, mkdtemp, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ConfinedPath } from './confined-path.js';
import { FolderHandle } from './folder-handle.js';
import { strays } from './stray-processes.js';

/** The folder of one run: created when it is used for the first time, deleted at the end of the run. */
export class Workspace {
  private created: Promise<string> | null = null;

  /** `parent`: absolute path of the folder of all runs; created if it does not exist. */
  constructor(private readonly parent: string) {}

  /** Whether there is a folder. */
  get isUsed(): boolean {
    return this.created !== null;
  }

  /** Returns the folder, as an absolute path without links. */
  folder(): Promise<string> {
    this.created ??= this.create();
    return this.created;
  }

  /**
   * Returns a folder inside the folder of the run and creates it if it does not exist; null is the folder of the run. Throws
   * PathLeavesFolder, or the system error if the path exists and is not a folder.
   */
  async folderAt(path: string | null): Promise<string> {
    const folder = await this.folder();
    if (path === null) return folder;
    const place = { root: folder, path, isCreating: true };
    return ConfinedPath.inFolder(place, (_opened, absolute) => Promise.resolve(absolute));
  }

  /** Kills the processes that still work in the folder, and deletes it. */
  async delete(): Promise<void> {
    if (this.created === null) return;
    const folder = await this.created.catch(() => null);
    if (folder === null) return;
    await strays.killIn(folder);
    const parent = await FolderHandle.open(dirname(folder));
    try {
      await parent.remove(basename(folder));
    } finally {
      await parent.close();
    }
  }

  private async create(): Promise<string> {
    // Other users of the machine must not read what runs write.
    await mkdir(this.parent, { recursive: true, mode: 0o700 });
    if (!(await stat(this.parent)).isDirectory()) throw new Error(`${this.parent} is not a folder`);
    return realpath(await mkdtemp(join(this.parent, 'run-')));
  }
}
