import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readConsoleFiles } from './console-files.js';

describe('the files of the console', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'console-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are those that were there at the start, each with its compressed forms', () => {
    mkdirSync(join(folder, 'assets'));
    for (const name of ['index.html', 'assets/a.js', 'assets/a.js.br', 'assets/a.js.gz'])
      writeFileSync(join(folder, name), name);
    const files = readConsoleFiles(folder);
    rmSync(folder, { recursive: true });
    const found = [...(files ?? [])].map(([path, { contentType, contents }]) => {
      const forms = [...contents].map(([encoding, content]) => `${encoding} ${content.toString()}`);
      return [path, [contentType, ...forms]] as const;
    });
    expect(Object.fromEntries(found)).toEqual({
      '/assets/a.js': [
        'text/javascript; charset=utf-8',
        'br assets/a.js.br',
        'gzip assets/a.js.gz',
        'identity assets/a.js',
      ],
      '/index.html': ['text/html; charset=utf-8', 'identity index.html'],
    });
  });

  it('do not exist before the console is built', () => {
    expect(readConsoleFiles(folder)).toBeUndefined();
    expect(readConsoleFiles(join(folder, 'gone'))).toBeUndefined();
  });
});
