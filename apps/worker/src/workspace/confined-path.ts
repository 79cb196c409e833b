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
 * Resolves a relative path in a folder and returns it as an absolute path without symbolic links. The last parts need not
 * exist. Throws PathLeavesFolder if the path leads out of the folder, directly or through a link, or if a link is broken.
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

/** Splits a path into its longest existing part (a broken link exists as well) and the rest. */
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
