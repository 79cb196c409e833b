import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** A path that leaves the folder that it must stay in. */
export class PathLeavesFolder extends Error {
  override readonly name = 'PathLeavesFolder';

  constructor(path: string) {
    super(`The path ${path.slice(0, 200)} leaves the workspace of the run`);
  }
}

/**
 * Returns the absolute path of a relative one inside a folder, with all links resolved. The last parts need not exist. Throws
 * PathLeavesFolder if the path leads out of the folder, also by a link, and for a link to nothing.
 */
export async function confinedPath(folder: string, path: string): Promise<string> {
  if (path.includes('\0') || isAbsolute(path) || !isInside(folder, resolve(folder, path))) {
    throw new PathLeavesFolder(path);
  }
  const [existing, rest] = await splitExisting(resolve(folder, path));
  const target = await realpath(existing).catch(() => null);
  if (target === null || !isInside(folder, target)) throw new PathLeavesFolder(path);
  return join(target, rest);
}

/** Returns the longest part of the path that exists (a link counts, whatever it leads to), and the rest. */
async function splitExisting(path: string): Promise<[string, string]> {
  for (let existing = path; ; existing = dirname(existing)) {
    const found = await lstat(existing).then(
      () => true,
      () => false,
    );
    if (found || existing === dirname(existing)) return [existing, relative(existing, path)];
  }
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
