import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Platform } from '../support/platform.js';

const ROOT = join(__dirname, '..', '..');
const README = 'README.md';
const GUIDES = readdirSync(join(ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`);
const PROGRAMS = ['bash', 'curl', 'jq', 'openssl', 'timeout'];
/** Time limit of the commands of one guide, for commands that wait for something that does not happen. */
const SECONDS_PER_GUIDE = '240';

/** A shell block of a document. */
interface Block {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/**
 * The blocks of a document that call the platform. A comment `<!-- not run: reason -->` directly before a block
 * excludes it from the tests.
 */
function runnableBlocks(path: string): readonly Block[] {
  const document = readFileSync(join(ROOT, path), 'utf8');
  return [...document.matchAll(/(<!-- not run: [^>]+ -->\n+)?^```sh\n(.*?)^```$/gms)].flatMap((match) => {
    const [, excluded, text = ''] = match;
    if (excluded !== undefined || !/\bcurl\b/.test(text)) return [];
    return [{ path, line: document.slice(0, match.index).split('\n').length, text }];
  });
}

const firstSteps = runnableBlocks(README);
const guides = GUIDES.map((path) => ({ path, blocks: runnableBlocks(path) })).filter(({ blocks }) => blocks.length > 0);
const missing = PROGRAMS.filter((program) => spawnSync(program, ['--version']).error !== undefined);

describe('the commands of the guides', () => {
  let platform: Platform;

  beforeAll(async () => {
    const env = { DEFAULT_MODEL: 'development-model' };
    platform = await Platform.start({ modelGateway: true, platformApi: true, env });
    await platform.startWorker();
  });
  afterAll(() => platform.stop());

  /** Runs the blocks in one shell, and fails with the output of the block whose command fails. */
  async function run(...blocks: readonly Block[]): Promise<void> {
    const addresses = [
      ['http://127.0.0.1:3000', platform.url],
      ['http://127.0.0.1:3001', platform.platformApi?.url ?? ''],
      ['ak_…', platform.adminKey],
    ] as const;
    const steps = blocks.map(({ path, line, text }) => `printf '\\n=== ${path}:${line}\\n'\n${text}`);
    const script = addresses.reduce((text, [shown, actual]) => text.replaceAll(shown, actual), steps.join('\n'));
    // The pipe to `cat` is one that `tee -a /dev/stderr` can open, unlike the socket of a child process.
    const command = `{\n${script}\n} 2>&1 | cat`;
    const shell = promisify(execFile)('timeout', [SECONDS_PER_GUIDE, 'bash', '-euo', 'pipefail', '-c', command], {
      cwd: ROOT,
      maxBuffer: 64 * 1024 * 1024,
    });
    const failure = await shell.then(
      () => '',
      ({ stdout }: { readonly stdout: string }) => stdout.slice(stdout.lastIndexOf('\n=== ')),
    );
    expect(failure).toBe('');
  }

  /** Expects that runs fail only with errors that the document quotes, or because a policy denied them. */
  async function expectDescribedFailures(path: string): Promise<void> {
    const failed = await platform.sql<{ error_message: string }>(
      `UPDATE executions SET execution_metadata = '{"examined": true}'
       WHERE status = 'failed' AND execution_metadata->>'examined' IS NULL AND error_message NOT LIKE 'Denied by policy%'
       RETURNING error_message`,
    );
    const text = readFileSync(join(ROOT, path), 'utf8').replace(/\s+/g, ' ');
    expect(failed.filter(({ error_message: error }) => !text.includes(error))).toEqual([]);
  }

  const test = missing.length === 0 ? it : it.skip;
  const reason = missing.length === 0 ? '' : ` (skipped, not installed: ${missing.join(', ')})`;

  test(`of ${README} succeed as printed${reason}`, async () => {
    await run(...firstSteps);
    await expectDescribedFailures(README);
  });

  for (const { path, blocks } of guides) {
    test(`of ${path} succeed as printed after those of ${README}${reason}`, async () => {
      await run(...firstSteps, ...blocks);
      await expectDescribedFailures(path);
    });
  }
});
