import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { contentType } from 'mime-types';

/** Encodings that the build compresses files with, best first, with the suffix of the compressed file. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** A file of the console. */
export interface ConsoleFile {
  readonly contentType: string;
  readonly etag: string;
  /** The content by encoding, best first; `identity` is always there. */
  readonly contents: ReadonlyMap<string, Buffer>;
}

/**
 * Reads the files of the console, by their paths from the folder, with `/` first; undefined if the console is not built.
 * They stay in memory, about 1 MB: a build that replaces them leaves a running server with files that fit together.
 */
export function readConsoleFiles(folder: string): ReadonlyMap<string, ConsoleFile> | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined;
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ENCODINGS.every(([, suffix]) => !entry.name.endsWith(suffix)))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(names.map((name) => [`/${relative(folder, name).replaceAll(sep, '/')}`, readFile(name)]));
}

function readFile(name: string): ConsoleFile {
  const content = readFileSync(name);
  const compressed = ENCODINGS.flatMap(([encoding, suffix]) =>
    existsSync(name + suffix) ? [[encoding, readFileSync(name + suffix)] as const] : [],
  );
  return {
    contentType: contentType(name.slice(name.lastIndexOf('.'))) || 'application/octet-stream',
    etag: `W/"${createHash('sha256').update(content).digest('base64url')}"`,
    contents: new Map([...compressed, ['identity', content] as const]),
  };
}
