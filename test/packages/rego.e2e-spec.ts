import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { filesIn, installIn, packInto } from '../support/packed-packages.js';

const run = promisify(execFile);
const ROOT = join(__dirname, '..', '..');
const PACKAGE = 'libs/alone/rego';
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const STRICT = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
const CONSUMER = { ...STRICT, target: 'es2023', lib: ['es2023'], types: [], module: 'nodenext' };

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;

describe('the packed rego', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rego-'));

  beforeAll(async () => {
    const { dependencies } = manifestOf(PACKAGE);
    const needed = Object.keys(dependencies).map((name) => join('node_modules', name));
    const tarballs = await packInto(folder, needed, '--ignore-scripts');
    const [rego = ''] = await packInto(folder, [PACKAGE]);
    const files = await filesIn(folder, rego);
    expect(files.filter((file) => /\.(spec|test)\.|\/src\/|testing/.test(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['package/README.md', 'package/dist/index.d.ts']));
    await installIn(folder, [rego, ...tarballs]);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('compiles in a program without the types of Node.js, and evaluates policies', async () => {
    copyFileSync(join(__dirname, 'rego-consumer.ts.template'), join(folder, 'main.ts'));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: CONSUMER, files: ['main.ts'] }));
    await run(process.execPath, [TSC], { cwd: folder }).catch((error: unknown) => {
      throw new Error((error as { stdout: string }).stdout);
    });
    const { stdout } = await run(process.execPath, ['main.js'], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({
      read: [true, []],
      drop: [null, ['ann may not drop']],
      faults: [['bad.rego', 3]],
      exceeded: 'steps',
    });
  });

  it('has a command that evaluates, checks and formats files', async () => {
    const rego = join(folder, 'node_modules', '.bin', 'rego');
    writeFileSync(join(folder, 'guard.rego'), 'package guard\n\nallow if input.user == "ada"\n');
    writeFileSync(join(folder, 'input.json'), '{"user": "ada"}');
    const evaluate = ['eval', '-d', 'guard.rego', '-i', 'input.json', 'data.guard.allow'];
    expect((await run(rego, evaluate, { cwd: folder })).stdout).toBe('true\n');
    expect((await run(rego, ['fmt', '--check', 'guard.rego'], { cwd: folder })).stdout).toBe('');
    writeFileSync(join(folder, 'bad.rego'), 'package bad\n\nallow if nothing\n');
    await expect(run(rego, ['check', 'bad.rego'], { cwd: folder })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('bad.rego:3'),
    });
  });

  it('depends on the versions that are tested here', () => {
    const tested = manifestOf('.').dependencies;
    for (const [name, version] of Object.entries(manifestOf(PACKAGE).dependencies))
      expect([name, version]).toEqual([name, tested[name]]);
  });
});
