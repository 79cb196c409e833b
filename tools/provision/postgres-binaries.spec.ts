import { describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkLibraries } from './postgres-binaries.js';

describe('linkLibraries', () => {
  it('creates the symbolic links that the install script would have created, and is idempotent', () => {
    const folder = mkdtempSync(join(tmpdir(), 'postgres-binaries-'));
    const library = join(folder, 'native', 'lib');
    mkdirSync(library, { recursive: true });
    writeFileSync(join(library, 'libpq.so.5.18'), '');
    const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
    writeFileSync(join(folder, 'native', 'pg-symlinks.json'), JSON.stringify(links));
    linkLibraries(folder);
    linkLibraries(folder);
    expect(readlinkSync(join(library, 'libpq.so.5'))).toBe('libpq.so.5.18');
    rmSync(folder, { recursive: true });
  });
});
