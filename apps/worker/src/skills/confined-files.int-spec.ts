import { spawn, type ChildProcess } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { Workspace } from '../workspace/workspace.js';
import { ConfinedFiles } from './confined-files.js';

/**
 * Puts a link to `process.argv[1]` in the place of the folder `a`, and the folder back, without end. Deletes a folder
 * that was created in its place.
 */
const SWAP = `
  const { renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } = require('node:fs');
  const attempt = (step) => { try { step(); } catch {} };
  for (let round = 0; ; round += 1) {
    attempt(() => renameSync('a', 'b'));
    attempt(() => symlinkSync(process.argv[1], 'a'));
    attempt(() => unlinkSync('a'));
    attempt(() => rmSync('a', { recursive: true, force: true }));
    attempt(() => renameSync('b', 'a'));
    if (round === 0) writeFileSync('swapping', '');
  }`;
const ROUNDS = 200;

describe('ConfinedFiles', () => {
  let parent: string;
  let outside: string;
  let folder: string;
  let files: ConfinedFiles;
  let program: ChildProcess | null;

  beforeEach(() => {
    parent = realpathSync(mkdtempSync(join(tmpdir(), 'confined-')));
    outside = join(parent, 'outside');
    folder = join(parent, 'workspace');
    for (const path of [join(outside, 'deep'), join(folder, 'a/deep')]) mkdirSync(path, { recursive: true });
    writeFileSync(join(outside, 'deep/file'), 'outside');
    writeFileSync(join(folder, 'a/deep/file'), 'inside');
    symlinkSync(outside, join(folder, 'link'));
    files = new ConfinedFiles(folder);
    program = null;
  });

  afterEach(() => {
    program?.kill('SIGKILL');
    rmSync(parent, { recursive: true });
  });

  async function startSwapping(): Promise<void> {
    program = await swapIn(folder, outside);
  }

  /** Calls an operation many times, and returns the results of those that succeeded. */
  async function attempts<T>(operation: () => Promise<T>): Promise<T[]> {
    const results: T[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await operation().then(
        (result) => results.push(result),
        () => undefined,
      );
    }
    return results;
  }

  it('reads and lists nothing outside while another program replaces a folder by a link', async () => {
    writeFileSync(join(outside, 'deep/other'), '');
    await startSwapping();
    const texts = await attempts(async () => (await files.read('a/deep/file', 0)).text);
    const lists = await attempts(() => files.list('a/deep'));
    expect([...new Set(texts)]).toEqual(['inside']);
    expect(new Set(lists.flat())).toEqual(new Set(['file']));
  });

  it('writes, creates and deletes nothing outside while another program replaces a folder by a link', async () => {
    await startSwapping();
    const content = Buffer.from('written');
    let round = 0;
    await attempts(() => files.write('a/deep/file', content));
    await attempts(() => files.write(`a/new-${(round += 1)}/file`, content));
    await attempts(() => files.delete('a/deep'));
    expect(readdirSync(outside)).toEqual(['deep']);
    expect(readFileSync(join(outside, 'deep/file'), 'utf8')).toBe('outside');
  });

  it('follows links that stay inside, and refuses others', async () => {
    const links = {
      relative: 'a/deep',
      absolute: join(folder, 'a'),
      up: 'a/deep/../../a/deep/file',
      out: '../outside/deep/file',
      'out-again': 'a/../../workspace/a',
      loop: 'loop',
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name));
    expect((await files.read('relative/file', 0)).text).toBe('inside');
    expect((await files.read('absolute/deep/file', 0)).text).toBe('inside');
    expect((await files.read('up', 0)).text).toBe('inside');
    expect(await files.list('absolute')).toEqual(['deep/']);
    await files.write('relative/new', Buffer.from('new'));
    expect(readFileSync(join(folder, 'a/deep/new'), 'utf8')).toBe('new');
    for (const path of ['out', 'out-again/deep/file', 'link/deep/file', '../outside/deep/file']) {
      await expect(files.read(path, 0)).rejects.toThrow('leaves the workspace of the run');
    }
    await expect(files.read('loop', 0)).rejects.toMatchObject({ code: 'ELOOP' });
    await expect(files.read('a/deep/file/more', 0)).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(files.read('.', 0)).rejects.toThrow('is not a file');
    await files.delete('link');
    expect(readdirSync(outside)).toEqual(['deep']);
  });

  it('deletes folders of any depth', async () => {
    await files.write(`${'d/'.repeat(200)}file`, Buffer.from('deep'));
    await files.write('d/d/other/file', Buffer.from('flat'));
    await files.delete('d');
    expect(await files.list('.')).toEqual(['a/', 'link']);
  });
});

describe('Workspace', () => {
  it('creates no folder outside while another program replaces a folder by a link', async () => {
    const parent = realpathSync(mkdtempSync(join(tmpdir(), 'workspaces-')));
    const workspace = new Workspace(join(parent, 'runs'));
    const folder = await workspace.folder();
    const outside = join(parent, 'outside');
    for (const path of [outside, join(folder, 'a')]) mkdirSync(path);
    try {
      await swapIn(folder, outside);
      for (let round = 0; round < ROUNDS; round += 1) {
        await workspace.folderAt(`a/new-${round}/deep`).catch(() => undefined);
      }
      expect(readdirSync(outside)).toEqual([]);
    } finally {
      await workspace.delete();
    }
    expect(readdirSync(join(parent, 'runs'))).toEqual([]);
    rmSync(parent, { recursive: true });
  });
});

async function swapIn(folder: string, target: string): Promise<ChildProcess> {
  const program = spawn(process.execPath, ['-e', SWAP, target], { cwd: folder, stdio: 'ignore' });
  await eventually(() => expect(readdirSync(folder)).toContain('swapping'));
  return program;
}
