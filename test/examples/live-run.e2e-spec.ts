import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { findProgram } from '../../tools/provision/programs.js';
import { PageServer, startBrowser } from '../support/browser.js';
import { CLIENT_PACKAGES, installIn, packInto } from '../support/packed-packages.js';
import { Platform } from '../support/platform.js';

const run = promisify(execFile);
const ROOT = join(__dirname, '..', '..');
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
/** The dependencies of the page's package.json, in the versions of this checkout. */
const REACT = ['react', 'react-dom', '@types/react', '@types/react-dom'];

const chromium = findProgram('chromium');
const inBrowser = chromium === undefined ? describe.skip : describe;

inBrowser('the page of examples/live-run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'live-run-'));
  const [allowed, foreign] = [new PageServer(), new PageServer()];
  let platform: Platform;
  let browser: Browser;

  beforeAll(async () => {
    await Promise.all([allowed.listen(), foreign.listen()]);
    platform = await Platform.start({ env: { CORS_ORIGINS: `http://localhost:${allowed.port}` } });
    const script = await buildPage(folder);
    const html = readFileSync(join(folder, 'index.html'), 'utf8').replace('/src/main.tsx', '/main.js');
    for (const server of [allowed, foreign]) Object.assign(server, { html, script });
    if (chromium !== undefined) browser = await startBrowser(chromium);
  });

  afterAll(async () => {
    await browser?.close();
    await Promise.all([platform?.stop(), allowed.close(), foreign.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  it('starts a run, shows its text as it is written, resumes after an interruption, and shows the end', async () => {
    const page = await open(`http://localhost:${allowed.port}`);
    await start(page, 'greeter');
    await page.locator('#status', { hasText: 'pending' }).waitFor();
    const { items } = await unwrap(platform.client().GET('/api/v1/execution-summaries'));
    const execution_id = String(items[0]?.id);
    const params = { path: { execution_id } };
    const write = (content: string) =>
      unwrap(
        platform.client().POST('/api/v1/executions/{execution_id}/events', {
          params,
          body: { event_type: 'message_chunk', data: { message_id: 'greeting', role: 'assistant', content } },
        }),
      );
    await write('Hello');
    await eventually(async () => expect(await page.locator('#text').textContent()).toBe('Hello'));

    const [controlPlane] = platform.controlPlanes;
    await controlPlane?.process.kill('SIGKILL');
    await controlPlane?.process.restart();
    await write(', Ada');
    await eventually(async () => expect(await page.locator('#text').textContent()).toBe('Hello, Ada'));

    const body = { status: 'completed' } as const;
    await unwrap(platform.client().PATCH('/api/v1/executions/{execution_id}', { params, body }));
    await page.locator('#status', { hasText: 'completed' }).waitFor();
    await eventually(async () => {
      const events = await page.locator('#events li').allTextContents();
      expect(events.filter((event) => /connected|message_chunk|done/.test(event))).toEqual([
        'connected',
        'message_chunk',
        'message_chunk',
        'done',
      ]);
    });
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('shows the error of a failed run or request', async () => {
    const page = await open(`http://localhost:${allowed.port}`);
    await start(page, 'greeter', 'ak_wrong');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('401');
  });

  it('receives no response on an origin that the platform does not allow', async () => {
    const page = await open(`http://127.0.0.1:${foreign.port}`);
    const before = await unwrap(platform.client().GET('/api/v1/agents'));
    await start(page, 'agent-of-a-foreign-page');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('Failed to fetch');
    expect(await unwrap(platform.client().GET('/api/v1/agents'))).toEqual(before);

    const { execution_id } = await unwrap(
      platform.client().POST('/api/v1/executions/create', { body: { prompt: 'Go' } }),
    );
    const params = { path: { execution_id } };
    const { ticket } = await unwrap(
      platform.client().POST('/api/v1/executions/{execution_id}/stream-ticket', { params }),
    );
    // Requests that a browser sends without a preflight.
    const urls = ['/api/health', `/api/v1/executions/${execution_id}/stream?ticket=${ticket}`];
    const read = (url: string): Promise<unknown> =>
      page.evaluate(
        (address) =>
          fetch(address).then(
            ({ status }) => status,
            (error: unknown) => String(error),
          ),
        `${platform.url}${url}`,
      );
    for (const url of urls) expect(await read(url)).toBe('TypeError: Failed to fetch');
    const received = await page.evaluate(
      (url) =>
        new Promise((resolve) => {
          const source = new EventSource(url);
          source.addEventListener('connected', () => resolve('an event'));
          source.addEventListener('error', () => resolve('nothing'));
        }),
      `${platform.url}${urls[1]}`,
    );
    expect(received).toBe('nothing');
  });

  async function open(url: string): Promise<Page> {
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(url);
    return page;
  }

  async function start(page: Page, agent: string, key = platform.adminKey): Promise<void> {
    await page.getByLabel('Control plane').fill(platform.url);
    await page.getByLabel('API key').fill(key);
    await page.getByLabel('Agent').fill(agent);
    await page.getByRole('button', { name: 'Run' }).click();
  }
});

/** Compiles a copy of the page strictly with the packed client, as its own build does. Returns its script. */
async function buildPage(folder: string): Promise<string> {
  cpSync(join(ROOT, 'examples/live-run'), folder, { recursive: true });
  const needed = await packInto(folder, CLIENT_PACKAGES, '--ignore-scripts');
  const client = await packInto(folder, ['libs/alone/api-client']);
  await installIn(folder, [...client, ...needed]);
  for (const name of REACT) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  await run(process.execPath, [TSC, '-p', folder]).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout);
  });
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'src/main.tsx')],
    bundle: true,
    write: false,
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]?.text ?? '';
}
