import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call } from '../support/http.js';
import { CLIENT_PACKAGES, filesIn, installIn, packInto } from '../support/packed-packages.js';
import { Platform } from '../support/platform.js';

const run = promisify(execFile);
const ROOT = join(__dirname, '..', '..');
const PACKAGE = 'libs/alone/api-client';
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
/** Strict, and without the types of Node.js. */
const CONSUMER = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  target: 'es2022',
  lib: ['es2022', 'DOM'],
  types: [],
  module: 'nodenext',
};

/** A guide whose example is a program. */
const GUIDE = 'docs/guides/lists.md';
/** What the example does not declare: addresses and a key, from the arguments of the program. */
const ARGUMENTS = `declare const process: { readonly argv: readonly [string, string, string, string, string] };
const [, , baseUrl, , apiKey] = process.argv;
`;

const exampleOf = (guide: string): string =>
  [ARGUMENTS, ...readFileSync(join(ROOT, guide), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)]
    .map((block) => (typeof block === 'string' ? block : block[1]))
    .join('\n');

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;

describe('the packed client', () => {
  let platform: Platform;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'client-'));
    platform = await Platform.shared();
  });

  afterAll(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('installs in an empty folder, compiles with the types of browsers alone, and runs both APIs', async () => {
    const needed = await packInto(folder, CLIENT_PACKAGES, '--ignore-scripts');
    const [client = ''] = await packInto(folder, [PACKAGE]);
    expect(client).toBe(`agent-orchestration-client-${manifestOf(PACKAGE).version}.tgz`);
    const packed = await filesIn(folder, client);
    expect(packed.filter((file) => /\.(spec|test)\.|\/src\//.test(file))).toEqual([]);
    expect(packed).toContain('package/README.md');

    await installIn(folder, [client, ...needed]);
    copyFileSync(join(__dirname, 'api-client-consumer.ts.template'), join(folder, 'main.ts'));
    writeFileSync(join(folder, 'guide.ts'), exampleOf(GUIDE));
    const files = ['main.ts', 'guide.ts'];
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: CONSUMER, files }));
    await run(process.execPath, [TSC], { cwd: folder }).catch((error: unknown) => {
      throw new Error((error as { stdout: string }).stdout);
    });

    const addresses = [platform.url, platform.platformApi?.url ?? '', platform.adminKey];
    const { stdout } = await run(process.execPath, ['main.js', ...addresses], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({
      names: expect.arrayContaining(['connected', 'message_chunk', 'progress', 'done']),
      texts: ['ONE', 'TWO', '50.0', 'COMPLETED'],
      read: ' hi',
      replayed: true,
      status: 'completed',
      missing: [404, 'task_not_found'],
      refusal: [404, 'execution_not_found'],
    });

    for (const name of ['first', 'second'])
      await call('POST', `${platform.url}/api/v1/agents`, { key: platform.adminKey, body: { name } });
    const example = await run(process.execPath, ['guide.js', ...addresses], { cwd: folder });
    expect(example.stdout).toMatch(/^2 agents in all\n(first\nsecond|second\nfirst)\n"\S+"\n$/);
  });

  it('depends on the versions that are tested here', () => {
    const tested = manifestOf('.').dependencies;
    for (const [name, version] of Object.entries(manifestOf(PACKAGE).dependencies))
      expect([name, version]).toEqual([name, tested[name]]);
  });
});
