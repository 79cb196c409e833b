import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Shorter words also occur in ordinary output. */
const MIN_LENGTH = 16;
const OTHER_CHARACTERS = /[^A-Za-z0-9_-]+/;
/** Escape sequences of JSON, whose letter is not part of the following word. */
const ESCAPES = /\\+[nrt"]/g;

export interface Leak {
  /** The start of the secret, to find the test that uses it. */
  readonly secret: string;
  /** The line of output that contains it. */
  readonly line: string;
}

/**
 * Returns, for each recorded secret (see `test/support/run-record.ts`) that the output contains, the first such line.
 * Words are compared, so the time does not depend on the number of secrets. A secret of several words is represented by
 * its longest one.
 */
export function findLeakedSecrets(folder: string): Leak[] {
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const secrets = new Set(files.filter((file) => file.endsWith('.secrets')).flatMap(wordsOfSecrets));
  const leaks = new Map<string, Leak>();
  for (const file of files.filter((name) => name.endsWith('.output'))) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      for (const word of line.replace(ESCAPES, ' ').split(OTHER_CHARACTERS)) {
        if (secrets.has(word) && !leaks.has(word)) leaks.set(word, { secret: `${word.slice(0, 8)}…`, line });
      }
    }
  }
  return [...leaks.values()];
}

function wordsOfSecrets(file: string): string[] {
  const secrets = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return secrets.map((line) => longestWord(JSON.parse(line) as string)).filter((word) => word.length >= MIN_LENGTH);
}

function longestWord(text: string): string {
  return text.split(OTHER_CHARACTERS).reduce((longest, word) => (word.length > longest.length ? word : longest), '');
}
