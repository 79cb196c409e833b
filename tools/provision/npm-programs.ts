import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { runCommand } from './commands.js';
import { cacheFolder, type Program } from './programs.js';
import { ProvisionError } from './provision-error.js';

/**
 * Programs that speak MCP with the tool server in tests, by the name of their command, with their packages. They are not
 * in package.json, because nobody else needs them.
 */
const PACKAGES = {
  // It does not run on the oldest Node of the platform.
  conformance: ['@modelcontextprotocol/conformance@0.2.0-alpha.12', `node-${process.platform}-${process.arch}@24`],
  'mcp-inspector-cli': ['@modelcontextprotocol/inspector-cli@1.0.3'],
  'mcp-remote': ['mcp-remote@0.15.0'],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;

type NpmProgram = keyof typeof PACKAGES;
export const NPM_PROGRAMS = Object.keys(PACKAGES) as NpmProgram[];

/**
 * Returns the program that `npm run programs` has installed; undefined if there is none. Throws a ProvisionError instead
 * if REQUIRE_PROGRAMS is set: then no test may be skipped.
 */
export function findNpmProgram(name: NpmProgram): Program | undefined {
  const program = programIn(folderOf(name), name);
  if (existsSync(program.path)) return program;
  if (!process.env['REQUIRE_PROGRAMS']) return undefined;
  throw missing(name, 'it is not there');
}

/** Installs the packages of a program into the cache, if they are not there. */
export async function provideNpmProgram(name: NpmProgram): Promise<Program> {
  const program = programIn(folderOf(name), name);
  if (existsSync(program.path)) return program;
  const folder = folderOf(name);
  mkdirSync(dirname(folder), { recursive: true });
  const temporaryFolder = mkdtempSync(`${folder}.new-`);
  try {
    const options = ['--no-audit', '--no-fund', '--loglevel=error', '--prefix', temporaryFolder];
    const { code, output } = await runCommand('npm', ['install', ...options, ...PACKAGES[name]]);
    if (code !== 0) throw missing(name, output.trim());
    // Another process may have put its copy there in the meantime; it is the same.
    if (!existsSync(folder)) renameSync(temporaryFolder, folder);
    return program;
  } finally {
    rmSync(temporaryFolder, { recursive: true, force: true });
  }
}

/** Packages that were installed with the program, such as another Node, come first on its path. */
function programIn(folder: string, name: NpmProgram): Program {
  const commands = join(folder, 'node_modules', '.bin');
  return { path: join(commands, name), env: { PATH: `${commands}${delimiter}${process.env['PATH'] ?? ''}` } };
}

/** Contains the version, so that another one is installed beside it. */
function folderOf(name: NpmProgram): string {
  return cacheFolder(PACKAGES[name][0].replace('/', '-'));
}

function missing(name: NpmProgram, reason: string): ProvisionError {
  return new ProvisionError(`No usable ${name} was found (${reason}).`, 'Run "npm run programs".');
}
