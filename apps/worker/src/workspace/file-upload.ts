import type { JsonObject } from '@app/kernel';
import { isFailure } from '../control-plane.errors.js';
import { madeFiles, type LeftOutFile, type MadeFile } from './made-files.js';

/** Files that are named in the event about those that were left out. */
const MAX_NAMED = 100;

/** Uploads the files in a folder. Returns those that were left out, with the reasons, at most `MAX_NAMED`. */
export async function uploadFiles(folder: string, upload: (file: MadeFile) => Promise<void>): Promise<JsonObject[]> {
  const leftOut: LeftOutFile[] = [];
  for await (const file of madeFiles(folder, leftOut)) {
    try {
      await upload(file);
    } catch (error) {
      if (!isFailure(error, 'refused') && !isFailure(error, 'broken')) throw error;
      leftOut.push({ name: file.name, reason: error.message });
    }
  }
  return leftOut.slice(0, MAX_NAMED).map(({ name, reason }) => ({ name, reason }));
}
