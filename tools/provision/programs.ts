import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findOnPath, runCommand, type CommandResult } from './commands.js';
import { unpackDebianPackages } from './debian-packages.js';
import { systemServersWithClients } from './postgres-binaries.js';
import { ProvisionError } from './provision-error.js';

/** A program that the platform or its tests start. */
export interface Program {
  readonly path: string;
  /** Environment variables that the program needs in addition to those of the process. */
  readonly env: Readonly<Record<string, string>>;
}

interface Source {
  /** The variable with the path of the program to use, if there is one. */
  readonly variable?: string;
  /** Names on the path; the first one is the name in messages. */
  readonly names: readonly [string, ...string[]];
  /** Returns paths of the program in folders of the system that are not on the path. */
  readonly elsewhere?: () => readonly string[];
  readonly packages: readonly string[];
  /** Possible paths in the unpacked packages. */
  readonly binaries: readonly string[];
  /** Environment variables with which an unpacked program finds its files, except its shared libraries. */
  readonly envOf?: (folder: string) => Readonly<Record<string, string>>;
  /** Creates files that the unpacked packages lack, in their folder. */
  readonly complete?: (folder: string) => void;
  /** Returns why the program cannot be used, or undefined if it can. Default: it can. */
  readonly faultOf?: (program: Program) => Promise<string | undefined>;
  /** How the operator can provide the program. Default: also by the variable and by `npm run programs`. */
  readonly remedy?: string;
}

// The first version with the commands and script semantics that the queues use (LMOVE, effects replication).
const OLDEST_REDIS = [6, 2] as const;

const SERVERS = {
  redis: {
    names: ['redis-server', 'valkey-server'],
    packages: ['redis-server', 'redis-tools'],
    binaries: ['usr/bin/redis-server'],
    faultOf: redisFault,
    remedy:
      'Install it (apt install redis-server, brew install redis), set REDIS_URL to a running server, or use docker/compose.yaml.',
  },
  nats: {
    names: ['nats-server'],
    packages: ['nats-server'],
    // The folder differs between releases of Debian.
    binaries: ['usr/sbin/nats-server', 'usr/bin/nats-server'],
    faultOf: natsFault,
    remedy: 'Install it (apt install nats-server, brew install nats-server), or set NATS_URL to a running server.',
  },
} as const satisfies Readonly<Record<string, Source>>;

/** Major versions in releases of Debian and Ubuntu, each of which has one. */
const DEBIAN_POSTGRES = [18, 17, 16, 15] as const;

const TEST_PROGRAMS = {
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
    // fish looks for both folders beside its own, and uses neither if one is missing.
    complete: (folder) => symlinkSync('../etc', join(folder, 'usr/etc')),
  },
  haproxy: {
    variable: 'HAPROXY_PATH',
    names: ['haproxy'],
    packages: ['haproxy'],
    binaries: ['usr/sbin/haproxy'],
  },
  pgbouncer: {
    variable: 'PGBOUNCER_PATH',
    names: ['pgbouncer'],
    packages: ['pgbouncer'],
    binaries: ['usr/sbin/pgbouncer'],
  },
  // A server with its programs for backups, which the one that npm installs lacks.
  postgres: {
    variable: 'POSTGRES_PATH',
    names: ['postgres'],
    elsewhere: systemServersWithClients,
    packages: ['postgresql', 'postgresql-client'],
    binaries: DEBIAN_POSTGRES.flatMap((major) =>
      ['postgres', 'pg_basebackup'].map((name) => `usr/lib/postgresql/${major}/bin/${name}`),
    ),
  },
} as const satisfies Readonly<Record<string, Source>>;

type TestProgram = keyof typeof TEST_PROGRAMS;
type ProgramName = keyof typeof SERVERS | TestProgram;

const SOURCES: Readonly<Record<ProgramName, Source>> = { ...SERVERS, ...TEST_PROGRAMS };
/** The programs that some tests need and the platform does not. */
export const PROGRAMS_OF_TESTS = Object.keys(TEST_PROGRAMS) as TestProgram[];

/**
 * Returns the program of a test: the one that a variable names, that of the system, or the one that `npm run programs`
 * has unpacked; undefined if there is none. Throws a ProvisionError instead if REQUIRE_PROGRAMS is set: then no test may
 * be skipped.
 */
export function findProgram(name: TestProgram): Program | undefined {
  const found = installed(name)[0] ?? unpacked(name);
  if (found !== undefined || !process.env['REQUIRE_PROGRAMS']) return found;
  throw missing(name, 'it is not there');
}

/**
 * Returns a usable program: the one that a variable names, that of the system, an unpacked copy in the cache, or that of
 * the Debian packages, which are downloaded and unpacked into the cache. Throws ProvisionError if there is none.
 */
export async function provideProgram(name: ProgramName): Promise<Program> {
  const { packages, binaries, complete, faultOf = noFault } = SOURCES[name];
  const faults: string[] = [];
  for (const program of installed(name)) {
    const fault = await faultOf(program);
    if (fault === undefined) return program;
    faults.push(`${program.path}: ${fault}`);
  }
  const cached = unpacked(name);
  if (cached !== undefined && (await faultOf(cached)) === undefined) return cached;
  const failure = await unpackDebianPackages(folderOf(name), packages, binaries, complete);
  const program = unpacked(name);
  const fault = failure ?? (program === undefined ? 'it does not contain the program' : await faultOf(program));
  if (program !== undefined && fault === undefined) return program;
  throw missing(name, [...faults, `Debian package: ${fault}`].join('; '));
}

function installed(name: ProgramName): Program[] {
  const { variable, names, elsewhere = (): string[] => [] } = SOURCES[name];
  const given = variable === undefined ? undefined : process.env[variable];
  const paths = given ? [given] : [...elsewhere(), ...names.map(findOnPath).filter((path) => path !== undefined)];
  return paths.map((path) => ({ path, env: {} }));
}

function unpacked(name: ProgramName): Program | undefined {
  const folder = folderOf(name);
  const { binaries, envOf } = SOURCES[name];
  const path = binaries.map((binary) => join(folder, binary)).find((candidate) => existsSync(candidate));
  if (path === undefined) return undefined;
  const inherited = process.env['LD_LIBRARY_PATH'];
  const libraries = join(folder, 'libraries');
  return { path, env: { ...envOf?.(folder), LD_LIBRARY_PATH: inherited ? `${libraries}:${inherited}` : libraries } };
}

function folderOf(name: ProgramName): string {
  return cacheFolder(`${name}-${process.arch}`);
}

/** Returns the folder of a downloaded program, which may not exist yet. */
export function cacheFolder(name: string): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'agent-orchestration-platform', name);
}

async function noFault(): Promise<undefined> {
  return undefined;
}

async function redisFault(program: Program): Promise<string | undefined> {
  const { code, output } = await readVersion(program);
  const version = /v=(\d+)\.(\d+)/.exec(output);
  if (code !== 0 || version === null) return describeUnrunnable(output);
  const [major, minor] = [Number(version[1]), Number(version[2])];
  const isSupported = major > OLDEST_REDIS[0] || (major === OLDEST_REDIS[0] && minor >= OLDEST_REDIS[1]);
  return isSupported ? undefined : `version ${major}.${minor} is older than ${OLDEST_REDIS.join('.')}`;
}

async function natsFault(program: Program): Promise<string | undefined> {
  const { code, output } = await readVersion(program);
  return code === 0 ? undefined : describeUnrunnable(output);
}

function readVersion({ path, env }: Program): Promise<CommandResult> {
  return runCommand(path, ['--version'], { env: { ...process.env, ...env } });
}

function describeUnrunnable(output: string): string {
  return `it does not run (${output.trim().split('\n')[0] ?? ''})`;
}

/** Returns the folder and those below it whose path matches. */
function foldersIn(root: string, pattern: RegExp): string[] {
  const below = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [root, ...below.map((entry) => join(entry.parentPath, entry.name))].filter((path) => pattern.test(path));
}

function missing(name: ProgramName, reason: string): ProvisionError {
  const { variable, names, packages, remedy } = SOURCES[name];
  return new ProvisionError(
    `No usable ${names[0]} was found (${reason}).`,
    remedy ?? `Install it (apt install ${packages[0]}), set ${variable} to its path, or run "npm run programs".`,
  );
}
