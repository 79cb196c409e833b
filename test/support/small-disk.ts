import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, rmdirSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BLOCK = Buffer.alloc(64 * 1024, 1);
/** The smallest unit of space that a file takes. */
const PAGE_BYTES = 4096;

/** A file system of a few megabytes, which a test can fill. */
export class SmallDisk {
  private constructor(readonly folder: string) {}

  static mount(megabytes: number): SmallDisk {
    const folder = mkdtempSync(join(tmpdir(), 'disk-'));
    const options = `size=${megabytes}m,mode=0755`;
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], {
      encoding: 'utf8',
    });
    if (status === 0) return new SmallDisk(folder);
    rmdirSync(folder);
    throw new Error(`No file system can be mounted: ${stderr}`);
  }

  /** Takes all space that is left, in addition to what was taken before. */
  fill(): void {
    const file = openSync(this.filler, 'a');
    try {
      for (const size of [BLOCK.length, PAGE_BYTES]) writeUntilFull(file, size);
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.filler, { force: true });
  }

  /** Also while a program that has ended late uses it. */
  remove(): void {
    spawnSync('umount', ['--lazy', this.folder]);
    rmdirSync(this.folder);
  }

  private get filler(): string {
    return join(this.folder, 'filler');
  }
}

function writeUntilFull(file: number, size: number): void {
  try {
    while (writeSync(file, BLOCK, 0, size) === size);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** Whether this process may mount a file system. */
export function canMount(): boolean {
  try {
    SmallDisk.mount(1).remove();
    return true;
  } catch {
    return false;
  }
}
