import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(__dirname, '..', '..');

/** Direct and indirect dependencies of the client. They are packed from this checkout, so no registry is needed. */
export const CLIENT_PACKAGES = ['cockatiel', 'eventsource-parser', 'openapi-fetch', 'openapi-typescript-helpers'].map(
  (name) => join('node_modules', name),
);

/**
 * Packs packages of this checkout into a folder and returns the names of the files. Lifecycle scripts run only for our
 * own packages.
 */
export async function packInto(folder: string, packages: readonly string[], ...options: string[]): Promise<string[]> {
  const paths = packages.map((path) => join(ROOT, path));
  const { stdout } = await run('npm', ['pack', '--json', `--pack-destination=${folder}`, ...options, ...paths], {
    cwd: ROOT,
  });
  return (JSON.parse(stdout.slice(stdout.indexOf('['))) as { filename: string }[]).map(({ filename }) => filename);
}

/** Returns the paths in a packed package. */
export async function filesIn(folder: string, tarball: string): Promise<string[]> {
  const { stdout } = await run('tar', ['-tzf', join(folder, tarball)]);
  return stdout.trim().split('\n');
}

/** Installs packed packages in an empty folder, without a registry. */
export async function installIn(folder: string, tarballs: readonly string[]): Promise<void> {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  const paths = tarballs.map((file) => `./${file}`);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', ...paths], { cwd: folder });
}
