import { constants } from 'node:fs';
import { open, readlink, type FileHandle } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { codeOf, FolderHandle } from './folder-handle.js';

/** Maximum number of links in a path, as in Linux. */
const MAX_LINKS = 40;

/** A path that leaves the folder that it must stay in. */
export class PathLeavesFolder extends Error {
  override readonly name = 'PathLeavesFolder';

  constructor(path: string) {
    super(`The path ${path.slice(0, 200)} leaves the workspace of the run`);
  }
}

/**
 * Walks a relative path inside a folder, part by part, so that it stays inside even if another program changes the
 * folders meanwhile: each part is opened in the folder before it, without following links. The target of a link is read
 * and walked in the same way. Throws PathLeavesFolder where the path or a link leads out of the folder.
 */
export class ConfinedPath {
  /** The names of the folders that were entered; none of them is a link. */
  private readonly entered: string[] = [];
  private readonly pending: string[];
  private links = 0;

  private constructor(
    private readonly root: string,
    private readonly path: string,
    private readonly isCreating: boolean,
    private current: FolderHandle,
  ) {
    this.pending = partsOf(relative(root, resolve(root, path)));
  }

  /**
   * Calls `use` with the folder at the path and its absolute path without links. `root`: an absolute path without links.
   * `isCreating`: creates folders that do not exist.
   */
  static async inFolder<T>(
    { root, path, isCreating }: { readonly root: string; readonly path: string; readonly isCreating: boolean },
    use: (folder: FolderHandle, absolute: string) => Promise<T>,
  ): Promise<T> {
    return ConfinedPath.walk(root, path, isCreating, async (walk) => {
      while (walk.pending.length > 0) await walk.enter(walk.pending.shift() ?? '');
      return use(walk.current, resolve(root, ...walk.entered));
    });
  }

  /**
   * Calls `use` with the folder that contains the path, and the name in it, which may be a link. The name is null if the
   * path is that of `root`.
   */
  static async inParent<T>(
    root: string,
    path: string,
    use: (parent: FolderHandle, name: string | null) => Promise<T>,
  ): Promise<T> {
    return ConfinedPath.walk(root, path, false, async (walk) => {
      const name = await walk.enterParents();
      return use(walk.current, name);
    });
  }

  /** Opens the file at the path. With `O_CREAT`, creates it and the folders above it if they do not exist. */
  static async openFile(root: string, path: string, flags: number): Promise<FileHandle> {
    return ConfinedPath.walk(root, path, (flags & constants.O_CREAT) !== 0, (walk) => walk.openLast(flags));
  }

  private static async walk<T>(
    root: string,
    path: string,
    isCreating: boolean,
    use: (walk: ConfinedPath) => Promise<T>,
  ): Promise<T> {
    if (path.includes('\0') || isAbsolute(path) || !isInside(root, resolve(root, path))) {
      throw new PathLeavesFolder(path);
    }
    const walk = new ConfinedPath(root, path, isCreating, await FolderHandle.open(root));
    try {
      return await use(walk);
    } finally {
      await walk.current.close();
    }
  }

  /** Enters all folders above the last part, and returns that part. */
  private async enterParents(): Promise<string | null> {
    for (let part = this.pending.shift(); part !== undefined; part = this.pending.shift()) {
      if (this.pending.length === 0 && part !== '..') return part;
      await this.enter(part);
    }
    return null;
  }

  private async openLast(flags: number): Promise<FileHandle> {
    for (;;) {
      const name = (await this.enterParents()) ?? '.';
      try {
        return await open(this.current.pathOf(name), flags | constants.O_NOFOLLOW, 0o600);
      } catch (error) {
        if (codeOf(error) !== 'ELOOP') throw error;
        await this.follow(name, error);
      }
    }
  }

  private async enter(part: string): Promise<void> {
    if (part === '..') {
      if (this.entered.length === 0) throw new PathLeavesFolder(this.path);
      return this.restart(this.entered.slice(0, -1));
    }
    const next = await this.open(part).catch(async (error: unknown) => {
      if (codeOf(error) !== 'ENOTDIR' && codeOf(error) !== 'ELOOP') throw error;
      await this.follow(part, error);
      return null;
    });
    if (next === null) return;
    await this.goTo(next);
    this.entered.push(part);
  }

  private async open(part: string): Promise<FolderHandle> {
    try {
      return await this.current.child(part);
    } catch (error) {
      if (!this.isCreating || codeOf(error) !== 'ENOENT') throw error;
      await this.current.createChild(part);
      return this.current.child(part);
    }
  }

  /** Adds the target of a link to the pending parts. Throws `cause` if the entry is not a link. */
  private async follow(name: string, cause: unknown): Promise<void> {
    const target = await readlink(this.current.pathOf(name)).catch(() => null);
    this.links += 1;
    if (target === null || this.links > MAX_LINKS) throw cause;
    if (!isAbsolute(target)) {
      this.pending.unshift(...partsOf(target));
      return;
    }
    if (!isInside(this.root, target)) throw new PathLeavesFolder(this.path);
    await this.restart(partsOf(relative(this.root, target)));
  }

  /** Begins again in the root, with these parts before the pending ones. */
  private async restart(parts: readonly string[]): Promise<void> {
    await this.goTo(await FolderHandle.open(this.root));
    this.entered.length = 0;
    this.pending.unshift(...parts);
  }

  private async goTo(folder: FolderHandle): Promise<void> {
    const left = this.current;
    this.current = folder;
    await left.close();
  }
}

function partsOf(path: string): string[] {
  return path.split(sep).filter((part) => part !== '' && part !== '.');
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
