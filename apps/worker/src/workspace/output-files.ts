import { isUtf8 } from 'node:buffer';
import { constants, type Dirent } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { headOf } from '@app/kernel';
import { lookup } from 'mime-types';
import { FolderHandle } from './folder-handle.js';

const MIB = 1_048_576;
/** Limits of the files of one run. The control plane accepts more files, and the same sizes. */
const MAX_FILE_BYTES = 10 * MIB;
const MAX_TOTAL_BYTES = 50 * MIB;
const MAX_NAME_LENGTH = 255;
const MAX_FILES = 200;
/**
 * Maximum number of files and folders that are visited. Bounds the time that a run with very many files takes to end.
 */
const MAX_ENTRIES = 10_000;
const UNKNOWN_TYPE = 'application/octet-stream';

/** A file that a run has written. */
export interface OutputFile {
  /** Path relative to the folder of the run, with slashes. */
  readonly name: string;
  readonly contentType: string;
  readonly content: Uint8Array;
}

export interface SkippedFile {
  readonly name: string;
  readonly reason: string;
}

/**
 * Yields the files in a folder, breadth first and by name. Skips names that begin with a dot and `node_modules`, which
 * belong to tools, and everything that is neither a regular file nor a folder, such as symbolic links. Adds the files
 * that exceed a limit, and files and folders that cannot be read or named, to `skipped`.
 */
export async function* outputFiles(folder: string, skipped: SkippedFile[]): AsyncGenerator<OutputFile> {
  yield* new OutputWalk(folder, skipped).files();
}

class OutputWalk {
  /** Paths relative to the root of folders that are still to be visited. */
  private folders = [''];
  private entryCount = 0;
  private fileCount = 0;
  private bytes = 0;

  constructor(
    private readonly root: string,
    private readonly skipped: SkippedFile[],
  ) {}

  async *files(): AsyncGenerator<OutputFile> {
    for (let current = this.folders.shift(); current !== undefined; current = this.folders.shift()) {
      const folder = await FolderHandle.open(join(this.root, current)).catch(() => null);
      try {
        const children = await folder?.entries().catch(() => null);
        if (folder !== null && children) yield* this.filesIn(folder, current, children.toSorted(byName));
        else this.skip(current, 'it cannot be read');
      } finally {
        await folder?.close();
      }
    }
  }

  private async *filesIn(
    folder: FolderHandle,
    path: string,
    children: readonly Dirent<Buffer>[],
  ): AsyncGenerator<OutputFile> {
    for (const child of children) {
      this.entryCount += 1;
      if (this.entryCount > MAX_ENTRIES) {
        this.skip(path, `only ${MAX_ENTRIES} files and folders are visited`);
        this.folders = [];
        return;
      }
      const name = child.name.toString();
      if (name.startsWith('.') || name === 'node_modules' || !(child.isFile() || child.isDirectory())) continue;
      const inner = path === '' ? name : `${path}/${name}`;
      if (!isUtf8(child.name)) this.skip(inner, 'its name is not UTF-8');
      else if (child.isDirectory()) this.folders.push(inner);
      else {
        const content = await this.take(folder, name, inner);
        if (content !== null) yield { name: inner, contentType: lookup(inner) || UNKNOWN_TYPE, content };
      }
    }
  }

  /** Returns the content of a file and counts it; null if it was skipped. */
  private async take(folder: FolderHandle, name: string, path: string): Promise<Uint8Array | null> {
    const read =
      this.fileCount < MAX_FILES ? await readFile(folder, name, path) : `a run has at most ${MAX_FILES} files`;
    const excess = typeof read === 'string' ? read : excessOf(this.bytes + read.byteLength);
    if (typeof read === 'string' || excess !== null) {
      this.skip(path, excess ?? '');
      return null;
    }
    this.fileCount += 1;
    this.bytes += read.byteLength;
    return read;
  }

  private skip(path: string, reason: string): void {
    this.skipped.push({ name: headOf(path === '' ? '.' : path, MAX_NAME_LENGTH), reason });
  }
}

function byName({ name: one }: Dirent<Buffer>, { name: other }: Dirent<Buffer>): number {
  return Buffer.compare(one, other);
}

function excessOf(bytes: number): string | null {
  return bytes > MAX_TOTAL_BYTES ? `the files of a run have at most ${MAX_TOTAL_BYTES / MIB} MiB together` : null;
}

/** Returns the content of a file, or why it cannot be stored. */
async function readFile(folder: FolderHandle, name: string, path: string): Promise<Uint8Array | string> {
  if (path.length > MAX_NAME_LENGTH) return `its path has more than ${MAX_NAME_LENGTH} characters`;
  try {
    // A link may have taken the place of the file; a pipe would block.
    const file = await open(folder.pathOf(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await file.stat();
      return size > MAX_FILE_BYTES ? `it has more than ${MAX_FILE_BYTES / MIB} MiB` : await file.readFile();
    } finally {
      await file.close();
    }
  } catch {
    return 'it cannot be read';
  }
}
