import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import type { Browser, Page } from 'playwright-core';
import { findProgram } from '../../tools/provision/programs.js';
import { startBrowser } from '../support/browser.js';
import { ConsoleVisitor } from '../support/console-visitor.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';

const chromium = findProgram('chromium');
const inBrowser = chromium === undefined ? describe.skip : describe;

inBrowser('the page of the API keys', () => {
  let platform: Platform;
  let browser: Browser;
  let url: string;
  let visitor: ConsoleVisitor;
  let page: Page;

  beforeAll(async () => {
    platform = await Platform.shared();
    ({ url } = await platform.startControlPlane({ PLATFORM_API_URL: platform.platformApi?.url ?? '' }));
    if (chromium !== undefined) browser = await startBrowser(chromium);
  });

  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  beforeEach(async () => {
    visitor = await ConsoleVisitor.start(browser, url);
    ({ page } = visitor);
  });

  afterEach(async () => {
    await visitor.close();
    expect(visitor.faults).toEqual([]);
  });

  const rowOf = (name: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });

  async function mint(name: string, scopes: readonly string[]): Promise<string> {
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Own choice').check();
    for (const scope of scopes) await page.getByLabel(scope, { exact: true }).check();
    await page.getByRole('button', { name: 'Create the key' }).click();
    return page.getByRole('dialog').getByLabel('API key').inputValue();
  }

  it('refuses a wrong key in words, and shows the opened page after the sign-in and after a reload', async () => {
    await visitor.open('/keys');
    await visitor.signIn('ak_wrong');
    expect(await page.getByRole('alert').textContent()).toBe('This key is not valid: unknown, revoked or expired.');
    expect(await visitor.accessibilityFaults()).toEqual([]);
    await visitor.signIn(platform.adminKey);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(page.url()).toBe(`${url}/console/keys`);
    expect(await page.context().storageState()).toEqual({ cookies: [], origins: [] });
    expect(await visitor.accessibilityFaults()).toEqual([]);
  });

  it('creates a key with two scopes, shows it once, and revokes it', async () => {
    await visitor.open('/keys');
    await visitor.signIn(platform.adminKey);
    const key = await mint('two scopes', ['agents:read', 'tasks:read']);
    expect(await visitor.accessibilityFaults()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await page.content()).not.toContain(key);
    expect(await rowOf('two scopes').textContent()).toContain('agents:read, tasks:read');
    const session = await call('GET', `${url}/api/v1/client/session`, { key });
    expect(session.body).toMatchObject({ key_name: 'two scopes', scopes: ['agents:read', 'tasks:read'] });

    await page.getByRole('button', { name: 'Revoke two scopes' }).click();
    expect(await visitor.accessibilityFaults()).toEqual([]);
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await rowOf('two scopes').waitFor({ state: 'detached' });
    await eventually(async () => {
      expect((await call('GET', `${url}/api/v1/client/session`, { key })).status).toBe(401);
    });
  });

  it('creates a successor of a key', async () => {
    await visitor.open('/keys');
    await visitor.signIn(platform.adminKey);
    const key = await mint('rotated', ['tasks:read']);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Rotate rotated' }).click();
    await page.getByLabel('The old key stays valid for').selectOption('an hour');
    await page.getByRole('button', { name: 'Rotate the key' }).click();
    const successor = await page.getByRole('dialog').getByLabel('API key').inputValue();
    expect(successor).not.toBe(key);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await eventually(async () => expect(await rowOf('rotated').count()).toBe(2));
  });

  it('says which scope it takes', async () => {
    await visitor.open('/keys');
    await visitor.signIn(platform.adminKey);
    const key = await mint('reader', ['agents:read']);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await visitor.signIn(key);
    await page.getByText('This takes the scope admin: your key has agents:read.').waitFor();
    expect(await page.getByRole('button', { name: 'New key' }).isDisabled()).toBe(true);
    expect(await visitor.accessibilityFaults()).toEqual([]);
  });

  it('returns to the sign-in, and says why, when the key was revoked', async () => {
    await visitor.open('/keys');
    await visitor.signIn(platform.adminKey);
    const key = await mint('second admin', ['admin']);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await visitor.signIn(key);
    await rowOf('second admin').waitFor();
    const { body } = await call('GET', `${url}/api/v1/client/session`, { key });
    const { key_id } = body as { readonly key_id: string };
    const keys = `${url}/console/platform/api/v1/auth/keys`;
    expect((await call('DELETE', `${keys}/${key_id}`, { key: platform.adminKey, unchecked: true })).status).toBe(204);
    await eventually(async () => {
      expect((await call('GET', `${url}/api/v1/client/session`, { key })).status).toBe(401);
    });
    await page.reload();
    await page.getByText('The key of the last session is not accepted any more.').waitFor();
  });

  it('is opened in another tab without a new sign-in, and all tabs are signed out together', async () => {
    await visitor.open('/keys');
    await visitor.signIn(platform.adminKey);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${url}/console/keys`);
    await other.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await other.getByText('You signed out in another tab.').waitFor();
  });
});
