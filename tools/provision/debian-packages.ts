import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { findOnPath, runCommand } from './commands.js';

// Every system has these libraries; a process that loads a second version of them crashes.
const EXCLUDED_LIBRARIES = /^libc6$|^libgcc/;
const MAX_DEPENDENCY_ROUNDS = 3;

/**
 * Unpacks packages of Debian or Ubuntu into a folder, with the shared libraries that the binaries need and this system
 * lacks. Of a package without files, the version that it stands for is unpacked (`postgresql` → `postgresql-15`). Installs nothing and needs no root privileges. Returns why it failed, or undefined on success. The
 * folder appears only once it is complete.
 *
 * @param binaries possible paths of binaries in the folder; those that exist are checked
 * @param complete creates the files in the folder that the packages lack
 */
export async function unpackDebianPackages(
  folder: string,
  packages: readonly string[],
  binaries: readonly string[],
  complete: (folder: string) => void = () => undefined,
): Promise<string | undefined> {
  if (findOnPath('apt-get') === undefined || findOnPath('dpkg-deb') === undefined) return 'this system has no apt-get';
  let temporaryFolder: string;
  try {
    mkdirSync(dirname(folder), { recursive: true });
    temporaryFolder = mkdtempSync(`${folder}.new-`);
  } catch (error) {
    return (error as Error).message;
  }
  try {
    const failure = await unpackInto(temporaryFolder, packages, binaries);
    if (failure !== undefined) return failure;
    complete(temporaryFolder);
    rmSync(folder, { recursive: true, force: true });
    renameSync(temporaryFolder, folder);
    return undefined;
  } catch (error) {
    // Another process may have put its copy there in the meantime; use that one.
    return existsSync(folder) ? undefined : (error as Error).message;
  } finally {
    rmSync(temporaryFolder, { recursive: true, force: true });
  }
}

async function unpackInto(
  folder: string,
  packages: readonly string[],
  binaries: readonly string[],
): Promise<string | undefined> {
  const downloads = join(folder, 'downloads');
  mkdirSync(downloads);
  const failure = await download(packages, downloads);
  if (failure !== undefined) return failure;
  const unpacked = new Set<string>();
  for (let round = 1; ; round += 1) {
    const { libraries, versions } = await unpackNew(downloads, folder, unpacked, packages);
    const versionFailure = versions.length === 0 ? undefined : await download(versions, downloads);
    if (versionFailure !== undefined) return versionFailure;
    if (versions.length > 0) continue;
    linkLibraries(folder);
    const missing = await missingLibraries(folder, binaries);
    if (missing.length === 0) break;
    if (round > MAX_DEPENDENCY_ROUNDS) return `these shared libraries are missing: ${missing.join(', ')}`;
    const wanted = await notInstalled(libraries);
    if ((await download(wanted, downloads)) === undefined) continue;
    // One by one, so that a package that this release lacks does not prevent the others; the next round finds what is
    // missing.
    for (const name of wanted) await download([name], downloads);
  }
  rmSync(downloads, { recursive: true });
  return undefined;
}

/** Unpacks the packages that are not in `unpacked` yet, and returns packages that they depend on. */
async function unpackNew(
  downloads: string,
  folder: string,
  unpacked: Set<string>,
  packages: readonly string[],
): Promise<{ readonly libraries: readonly string[]; readonly versions: readonly string[] }> {
  const [libraries, versions]: [string[], string[]] = [[], []];
  for (const file of readdirSync(downloads).filter((name) => name.endsWith('.deb') && !unpacked.has(name))) {
    unpacked.add(file);
    const path = join(downloads, file);
    await runCommand('dpkg-deb', ['-x', path, folder]);
    const { output } = await runCommand('dpkg-deb', ['-f', path, 'Depends']);
    libraries.push(...libraryNames(output));
    if (packages.some((name) => file.startsWith(`${name}_`))) versions.push(...versionNames(output, packages));
  }
  return { libraries, versions };
}

/** Skips installed packages: Chromium depends on more than a hundred libraries, most of which a system usually has. */
async function notInstalled(names: readonly string[]): Promise<string[]> {
  const { output } = await runCommand('dpkg-query', ['-W', '-f', '${db:Status-Abbrev} ${Package}\n', ...names]);
  const installed = new Set([...output.matchAll(/^ii\s+(\S+)$/gm)].map((match) => match[1]));
  return names.filter((name) => !installed.has(name));
}

/**
 * Returns the library packages of a Depends field: `libc6 (>= 2.34), libjemalloc2 (>= 3.5), adduser` → `libjemalloc2`.
 */
export function libraryNames(depends: string): string[] {
  return dependencies(depends).filter((name) => name.startsWith('lib') && !EXCLUDED_LIBRARIES.test(name));
}

/** Returns the versions of the packages in a Depends field: `postgresql-15` → the same for the package `postgresql`. */
export function versionNames(depends: string, packages: readonly string[]): string[] {
  return dependencies(depends).filter((name) => packages.includes(name.replace(/-\d+$/, '')) && /\d$/.test(name));
}

function dependencies(depends: string): string[] {
  return depends.split(/[,|\n]/).map((item) => item.trim().split(/[\s:(]/)[0] ?? '');
}

/** Links every unpacked shared library into one folder for LD_LIBRARY_PATH. */
function linkLibraries(folder: string): void {
  const libraries = join(folder, 'libraries');
  mkdirSync(libraries, { recursive: true });
  for (const root of ['lib', 'usr/lib'].map((name) => join(folder, name)).filter((path) => existsSync(path))) {
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory() || !/\.so(\.|$)/.test(entry.name)) continue;
      const link = join(libraries, entry.name);
      if (!existsSync(link)) symlinkSync(relative(libraries, join(entry.parentPath, entry.name)), link);
    }
  }
}

async function missingLibraries(folder: string, binaries: readonly string[]): Promise<string[]> {
  const paths = binaries.map((path) => join(folder, path)).filter((path) => existsSync(path));
  const env = { ...process.env, LD_LIBRARY_PATH: join(folder, 'libraries') };
  const outputs = await Promise.all(paths.map(async (path) => (await runCommand('ldd', [path], { env })).output));
  return outputs.flatMap((output) => [...output.matchAll(/^\s*(\S+) => not found/gm)].map((match) => match[1] ?? ''));
}

/**
 * Downloads packages with the package lists of the system, or, where those are empty or outdated, with lists fetched
 * into the target folder. Returns why it failed, or undefined on success.
 */
async function download(packages: readonly string[], target: string): Promise<string | undefined> {
  const sandbox = ['-o', 'APT::Sandbox::User=root'];
  const first = await runCommand('apt-get', [...sandbox, 'download', ...packages], { cwd: target });
  if (first.code === 0) return undefined;
  const lists = join(target, 'lists');
  const withOwnLists = [
    ...sandbox,
    '-o',
    `Dir::State::Lists=${lists}`,
    '-o',
    'Dir::Cache::pkgcache=',
    '-o',
    'Dir::Cache::srcpkgcache=',
  ];
  if (!existsSync(lists)) {
    mkdirSync(join(lists, 'partial'), { recursive: true });
    await runCommand('apt-get', [...withOwnLists, 'update'], { cwd: target });
  }
  const second = await runCommand('apt-get', [...withOwnLists, 'download', ...packages], { cwd: target });
  return second.code === 0
    ? undefined
    : (second.output.split('\n').find((line) => line.startsWith('E:')) ?? 'apt-get failed');
}
