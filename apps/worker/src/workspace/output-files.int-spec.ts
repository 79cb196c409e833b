import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { outputFiles, type SkippedFile } from './output-files.js';
import { Workspace } from './workspace.js';

/** A name that is not UTF-8, and how it is shown. */
const ODD = Buffer.from('odd-\xff', 'latin1');
const SHOWN_ODD = 'odd-\uFFFD';
/** The user `nobody`: the system lets root read everything. */
const UNPRIVILEGED = 65_534;

describe('outputFiles', () => {
  let parent: string;
  let workspace: Workspace;
  let folder: string;

  beforeEach(async () => {
    parent = realpathSync(mkdtempSync(join(tmpdir(), 'output-')));
    chmodSync(parent, 0o777);
    becomeUnprivileged();
    workspace = new Workspace(join(parent, 'runs'));
    folder = await workspace.folder();
    writeFileSync(join(folder, 'kept'), 'kept');
  });

  afterEach(() => {
    becomeRoot();
    rmSync(parent, { recursive: true });
  });

  async function collect(): Promise<{ readonly names: string[]; readonly skipped: SkippedFile[] }> {
    const [names, skipped]: [string[], SkippedFile[]] = [[], []];
    for await (const { name } of outputFiles(folder, skipped)) names.push(name);
    return { names, skipped };
  }

  it('skips what cannot be read, with the reason, and yields the rest', async () => {
    for (const name of ['closed/inner', 'open', 'secret']) mkdirSync(join(folder, name), { recursive: true });
    for (const name of ['open/file', 'secret/file']) writeFileSync(join(folder, name), '');
    chmodSync(join(folder, 'closed'), 0o000);
    chmodSync(join(folder, 'secret/file'), 0o000);
    symlinkSync(tmpdir(), join(folder, 'link'));
    expect(await collect()).toEqual({
      names: ['kept', 'open/file'],
      skipped: [
        { name: 'closed', reason: 'it cannot be read' },
        { name: 'secret/file', reason: 'it cannot be read' },
      ],
    });
    await workspace.delete();
    expect(readdirSync(join(parent, 'runs'))).toEqual([]);
  });

  it('skips files and folders whose names are not UTF-8', async () => {
    mkdirSync(join(folder, 'a'));
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/a/`), ODD]), '');
    mkdirSync(Buffer.concat([Buffer.from(`${folder}/`), ODD]));
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), ODD, Buffer.from('/file')]), '');
    expect(await collect()).toEqual({
      names: ['kept'],
      skipped: [
        { name: SHOWN_ODD, reason: 'its name is not UTF-8' },
        { name: `a/${SHOWN_ODD}`, reason: 'its name is not UTF-8' },
      ],
    });
    await workspace.delete();
    expect(readdirSync(join(parent, 'runs'))).toEqual([]);
  });

  it('skips a folder that is deleted meanwhile, and the whole folder of the run', async () => {
    mkdirSync(join(folder, 'short-lived'));
    const skipped: SkippedFile[] = [];
    for await (const { name } of outputFiles(folder, skipped)) {
      expect(name).toBe('kept');
      rmSync(join(folder, 'short-lived'), { recursive: true });
    }
    expect(skipped).toEqual([{ name: 'short-lived', reason: 'it cannot be read' }]);
    await workspace.delete();
    expect(await collect()).toEqual({ names: [], skipped: [{ name: '.', reason: 'it cannot be read' }] });
  });
});

function becomeUnprivileged(): void {
  if (process.getuid?.() === 0) process.seteuid?.(UNPRIVILEGED);
}

function becomeRoot(): void {
  if (process.getuid?.() === 0) process.seteuid?.(0);
}
