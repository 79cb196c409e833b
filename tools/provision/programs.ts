import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findOnPath } from './commands.js';
import { unpackDebianPackages } from './debian-packages.js';
import { ProvisionError } from './provision-error.js';

/** A program that some tests need and the platform does not. */
export interface Program {
  readonly path: string;
  /** Environment variables that the program needs in addition to those of the process. */
  readonly env: Readonly<Record<string, string>>;
}

interface Source {
  /** The variable with the path of the program to use. */
  readonly variable: string;
  /** Names on the path. */
  readonly names: readonly string[];
  readonly packages: readonly string[];
  /** Possible paths in the unpacked packages. */
  readonly binaries: readonly string[];
  /** Environment variables with which an unpacked program finds its files. */
  readonly envOf: (folder: string) => Readonly<Record<string, string>>;
  /** Creates files in the folder of the packages that they lack. */
  readonly complete?: (folder: string) => void;
}

const SOURCES = {
  chromium: {
    variable: 'CHROMIUM_PATH',
    names: ['chromium', 'chromium-headless-shell', 'google-chrome'],
    packages: ['chromium-headless-shell', 'chromium-common', 'fonts-dejavu-core'],
    binaries: ['usr/lib/chromium/chromium-headless-shell', 'usr/bin/chromium-headless-shell'],
    envOf: (folder) => ({ FONTCONFIG_FILE: join(folder, 'fonts.conf') }),
    complete: (folder) =>
      writeFileSync(
        join(folder, 'fonts.conf'),
        `<fontconfig><dir prefix="relative">usr/share/fonts</dir><dir>/usr/share/fonts</dir>
<cachedir prefix="xdg">fontconfig</cachedir></fontconfig>\n`,
      ),
  },
  zsh: {
    variable: 'ZSH_PATH',
    names: ['zsh'],
    packages: ['zsh', 'zsh-common'],
    binaries: ['bin/zsh', 'usr/bin/zsh'],
    envOf: (folder) => ({
      // No variable sets the folder of zsh's modules, so the .zshrc of the test does.
      ZSH_MODULES: foldersIn(join(folder, 'usr/lib'), /\/zsh\/[\d.]+$/).join(':'),
      FPATH: foldersIn(join(folder, 'usr/share/zsh/functions'), /./).join(':'),
    }),
  },
  fish: {
    variable: 'FISH_PATH',
    names: ['fish'],
    packages: ['fish', 'fish-common'],
    binaries: ['usr/bin/fish'],
    envOf: () => ({}),
    // fish looks for both folders beside its own, and uses neither if one is missing.
    complete: (folder) => symlinkSync('../etc', join(folder, 'usr/etc')),
  },
  haproxy: {
    variable: 'HAPROXY_PATH',
    names: ['haproxy'],
    packages: ['haproxy'],
    binaries: ['usr/sbin/haproxy'],
    envOf: () => ({}),
  },
} as const satisfies Readonly<Record<string, Source>>;

export type ProgramName = keyof typeof SOURCES;
export const PROGRAMS = Object.keys(SOURCES) as ProgramName[];

/**
 * Returns the program that a variable names, that of the system, or the one that `npm run programs` has unpacked;
 * undefined if there is none. Throws a ProvisionError instead if REQUIRE_PROGRAMS is set: then no test may be skipped.
 */
export function findProgram(name: ProgramName): Program | undefined {
  const found = locate(name);
  if (found !== undefined || !process.env['REQUIRE_PROGRAMS']) return found;
  throw missing(name, 'it is not there');
}

/** Returns the program; downloads and unpacks its Debian packages if it is not there. */
export async function provideProgram(name: ProgramName): Promise<Program> {
  const found = locate(name);
  if (found !== undefined) return found;
  const { packages, binaries, complete }: Source = SOURCES[name];
  const failure = await unpackDebianPackages(folderOf(name), packages, binaries, complete);
  const program = unpacked(name);
  if (failure !== undefined || program === undefined) throw missing(name, failure ?? 'the packages do not contain it');
  return program;
}

function locate(name: ProgramName): Program | undefined {
  const { variable, names }: Source = SOURCES[name];
  const given = process.env[variable];
  const path = given || names.map(findOnPath).find((candidate) => candidate !== undefined);
  return path === undefined ? unpacked(name) : { path, env: {} };
}

function unpacked(name: ProgramName): Program | undefined {
  const folder = folderOf(name);
  const { binaries, envOf }: Source = SOURCES[name];
  const path = binaries.map((binary) => join(folder, binary)).find((candidate) => existsSync(candidate));
  return path === undefined
    ? undefined
    : { path, env: { ...envOf(folder), LD_LIBRARY_PATH: join(folder, 'libraries') } };
}

function folderOf(name: ProgramName): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'agent-orchestration-platform', `${name}-${process.arch}`);
}

/** Returns the folder and those below it whose path matches. */
function foldersIn(root: string, pattern: RegExp): string[] {
  const below = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [root, ...below.map((entry) => join(entry.parentPath, entry.name))].filter((path) => pattern.test(path));
}

function missing(name: ProgramName, reason: string): ProvisionError {
  const { variable, packages }: Source = SOURCES[name];
  return new ProvisionError(
    `No usable ${name} was found (${reason}).`,
    `Install it (apt install ${packages[0]}), set ${variable} to its path, or run "npm run programs".`,
  );
}
