import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder with those above it that are missing, one after the other: Node's own way of making them all hides why
 * it fails on a read-only disk (ENOENT), and never comes to an end in /proc.
 */
export function makeFolder(path: string, mode: number): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else may have made it in between.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
