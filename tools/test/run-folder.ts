import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../provision/process-identity.js';

/** Creates a folder for this run, so that runs can be concurrent, and removes the folders of runs that have ended. */
export function createRunFolder(parent: string): string {
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    if (/^\d+$/.test(name) && !isAlive(Number(name))) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const folder = join(parent, String(process.pid));
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  mkdirSync(folder);
  return folder;
}
