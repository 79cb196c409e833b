import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { CONSOLE_HEADERS } from '../../apps/control-plane/src/console/console-headers.js';
import { findProgram } from '../../tools/provision/programs.js';
import { startBrowser } from '../support/browser.js';
import { ConsoleVisitor } from '../support/console-visitor.js';

const chromium = findProgram('chromium');
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const WINDOWS = [
  ['Open the dialog', 'A dialog'],
  ['Open the question', 'Delete the agent?'],
] as const;

/** Serves a folder below `/console`, with the headers of the console. */
function serve(folder: string): Server {
  return createServer((request, response) => {
    const asked = normalize((request.url ?? '/').replace(/^\/console/, ''));
    const path = join(folder, asked);
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
    response.writeHead(isFile ? 200 : 404, {
      ...CONSOLE_HEADERS,
      'Content-Type': TYPES[extname(path)] ?? 'text/plain',
    });
    response.end(isFile ? readFileSync(path) : '');
  });
}

(chromium === undefined ? describe.skip : describe)('the gallery of the parts of the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-gallery-'));
  const server = serve(folder);
  let browser: Browser;
  let visitor: ConsoleVisitor;

  beforeAll(async () => {
    const config = ['--config', 'apps/console/gallery/vite.config.ts', '--outDir', folder, '--emptyOutDir'];
    await promisify(execFile)(process.execPath, ['node_modules/vite/bin/vite.js', 'build', ...config]);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    if (chromium === undefined) return;
    browser = await startBrowser(chromium);
  });

  afterAll(async () => {
    await browser?.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    visitor = await ConsoleVisitor.start(browser, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await visitor.open('/gallery/index.html');
    await visitor.page.getByRole('heading', { name: 'Parts of the console' }).waitFor();
  });

  afterEach(async () => {
    await visitor.close();
    expect(visitor.faults).toEqual([]);
  });

  it('has each part, and each is accessible, light, dark and in forced colors', async () => {
    const { page } = visitor;
    await page.locator('.react-flow__node').nth(2).waitFor();
    await page.locator('.cm-content').nth(2).waitFor();
    await page.getByText('There is no agent yet.').waitFor();
    const shown = await page
      .locator('section[data-parts]')
      .evaluateAll((sections) =>
        sections.flatMap((section) => (section.getAttribute('data-parts') ?? '').trim().split(' ')),
      );
    const parts = readdirSync('apps/console/src/ui').filter((file) => file.endsWith('.tsx'));
    expect(new Set(shown)).toEqual(new Set(parts.map((file) => file.slice(0, -'.tsx'.length))));
    expect(await visitor.accessibilityFaults()).toEqual([]);
  });

  it.each(WINDOWS)('closes what "%s" opens by Escape, and returns the focus', async (label, title) => {
    const { page } = visitor;
    const opener = page.getByRole('button', { name: label });
    await opener.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: title }).waitFor();
    expect(await visitor.accessibilityFaults()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: title }).waitFor({ state: 'detached' });
    expect(await opener.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  });

  it('keeps a secret open until its button is pressed', async () => {
    const { page } = visitor;
    await page.getByRole('button', { name: 'Open the secret' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
