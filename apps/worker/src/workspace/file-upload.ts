import type { JsonObject } from '@app/kernel';
import { isFailure } from '../control-plane/control-plane.errors.js';
import { outputFiles, type SkippedFile, type OutputFile } from './output-files.js';

/** Maximum number of skipped files that the event about them names. */
const MAX_NAMED = 100;

/**
 * Uploads the files in a folder. Adds those that were skipped to `skipped`, also if it rejects because of another one.
 */
export async function uploadFiles(
  folder: string,
  upload: (file: OutputFile) => Promise<void>,
  skipped: SkippedFile[],
): Promise<void> {
  for await (const file of outputFiles(folder, skipped)) {
    try {
      await upload(file);
    } catch (error) {
      if (!isFailure(error, 'refused') && !isFailure(error, 'broken')) throw error;
      skipped.push({ name: file.name, reason: error.message });
    }
  }
}

/** Returns the data of the event about skipped files, at most `MAX_NAMED`. */
export function leftOutData(skipped: readonly SkippedFile[]): JsonObject {
  return { files_left_out: skipped.slice(0, MAX_NAMED).map(({ name, reason }) => ({ name, reason })) };
}
