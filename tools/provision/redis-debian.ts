import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { onPath, runCommand } from './commands.js';

const serverPackages = ['redis-server', 'redis-tools'];
// Always there, and mixing another one into a process breaks it.
const neverUnpacked = /^libc6$|^libgcc/;
const rounds = 3;

/**
 * Unpacks Debian's (or Ubuntu's) redis-server with the shared libraries that this system lacks into a folder. Nothing
 * is installed and no right of root is needed. Answers why it could not, or undefined. The folder appears only when
 * all is in it.
 */
export async function unpackDebianRedis(folder: string): Promise<string | undefined> {
  if (onPath('apt-get') === undefined || onPath('dpkg-deb') === undefined) return 'this system has no apt-get';
  let unfinished: string;
  try {
    mkdirSync(dirname(folder), { recursive: true });
    unfinished = mkdtempSync(`${folder}.new-`);
  } catch (error) {
    return (error as Error).message;
  }
  try {
    const failure = await unpackInto(unfinished);
    if (failure !== undefined) return failure;
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
    return undefined;
  } catch (error) {
    // Another start may have put its copy there in between: that one is as good.
    return existsSync(folder) ? undefined : (error as Error).message;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

async function unpackInto(folder: string): Promise<string | undefined> {
  const downloads = join(folder, 'downloads');
  mkdirSync(downloads);
  const failure = await download(serverPackages, downloads);
  if (failure !== undefined) return failure;
  const unpacked = new Set<string>();
  for (let round = 1; ; round += 1) {
    const dependencies = await unpackNew(downloads, folder, unpacked);
    gatherLibraries(folder);
    const missing = await missingLibraries(folder);
    if (missing.length === 0) break;
    if (round > rounds) return `these libraries are missing: ${missing.join(', ')}`;
    // A name that this release does not know costs only itself: what is then missing shows in the next round.
    for (const name of dependencies) await download([name], downloads);
  }
  rmSync(downloads, { recursive: true });
  return undefined;
}

/** Unpacks the downloaded packages not seen before; answers the libraries that they depend on. */
async function unpackNew(downloads: string, folder: string, unpacked: Set<string>): Promise<string[]> {
  const dependencies: string[] = [];
  for (const file of readdirSync(downloads).filter((name) => name.endsWith('.deb') && !unpacked.has(name))) {
    unpacked.add(file);
    const path = join(downloads, file);
    await runCommand('dpkg-deb', ['-x', path, folder]);
    const { output } = await runCommand('dpkg-deb', ['-f', path, 'Depends']);
    dependencies.push(...libraryNames(output));
  }
  return dependencies;
}

/** `libc6 (>= 2.34), libjemalloc2 (>= 3.5), adduser` → the packages of libraries that may be unpacked beside ours. */
export function libraryNames(depends: string): string[] {
  return depends
    .split(/[,|\n]/)
    .map((item) => item.trim().split(/[\s:(]/)[0] ?? '')
    .filter((name) => name.startsWith('lib') && !neverUnpacked.test(name));
}

/** Links every shared library of the packages, wherever they keep it, into one folder for LD_LIBRARY_PATH. */
function gatherLibraries(folder: string): void {
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

async function missingLibraries(folder: string): Promise<string[]> {
  const { output } = await runCommand('ldd', [join(folder, 'usr', 'bin', 'redis-server')], {
    env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'libraries') },
  });
  return [...output.matchAll(/^\s*(\S+) => not found/gm)].map((match) => match[1] ?? '');
}

/** With the system's package lists; where they are empty or too old, with lists of our own fetched for this. */
async function download(packages: readonly string[], target: string): Promise<string | undefined> {
  const sandbox = ['-o', 'APT::Sandbox::User=root'];
  const first = await runCommand('apt-get', [...sandbox, 'download', ...packages], { cwd: target });
  if (first.code === 0) return undefined;
  const lists = join(target, 'lists');
  const own = [
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
    await runCommand('apt-get', [...own, 'update'], { cwd: target });
  }
  const second = await runCommand('apt-get', [...own, 'download', ...packages], { cwd: target });
  return second.code === 0
    ? undefined
    : (second.output.split('\n').find((line) => line.startsWith('E:')) ?? 'apt-get failed');
}
