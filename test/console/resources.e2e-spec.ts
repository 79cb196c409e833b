import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import type { Browser, Page } from 'playwright-core';
import { findProgram } from '../../tools/provision/programs.js';
import { startBrowser } from '../support/browser.js';
import { ConsoleVisitor } from '../support/console-visitor.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

const chromium = findProgram('chromium');
const inBrowser = chromium === undefined ? describe.skip : describe;

/** Resources with the fewest fields that make one: by label, what a person writes. */
const NEW: readonly (readonly [path: string, one: string, fields: Readonly<Record<string, string>>])[] = [
  ['/projects', 'project', { Name: 'mobile app', Key: 'MOBILE' }],
  ['/skills', 'skill', { Name: 'tracker' }],
  ['/knowledge', 'entry', { Name: 'refunds', Content: 'Refunds are paid within 14 days.' }],
  ['/secrets', 'secret', { Name: 'MAIL_PASSWORD', Value: 'a secret' }],
  ['/integrations', 'integration', { Name: 'mail', Type: 'smtp' }],
  ['/models', 'model', { Value: 'acme/large', Label: 'Large', Provider: 'acme' }],
  ['/environments', 'environment', { Name: 'staging' }],
  ['/teams', 'team', { Name: 'crew' }],
  ['/workflows', 'workflow', { Name: 'release notes' }],
  ['/policies', 'policy', { Name: 'open' }],
];

const LISTS = [...NEW.map(([path]) => path), '/agents', '/jobs', '/queues', '/workers', '/webhooks', '/decisions'];

inBrowser('the pages of resources', () => {
  let platform: Platform;
  let browser: Browser;
  let user: Scenario;
  let visitor: ConsoleVisitor;
  let page: Page;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
    if (chromium !== undefined) browser = await startBrowser(chromium);
  });

  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  beforeEach(async () => {
    visitor = await ConsoleVisitor.start(browser, platform.url);
    ({ page } = visitor);
  });

  afterEach(async () => {
    await visitor.close();
    expect(visitor.faults).toEqual([]);
  });

  it.each(NEW)('%s leads from the list to a new %s', async (path, one, fields) => {
    await visitor.open(path);
    await visitor.signIn(platform.adminKey);
    await page.getByRole('button', { name: `New ${one}` }).click();
    for (const [label, text] of Object.entries(fields)) {
      await page.getByRole('textbox', { name: label, exact: true }).fill(text);
    }
    expect(await visitor.accessibilityFaults()).toEqual([]);
    await page.getByRole('button', { name: `Create the ${one}` }).click();
    await page.getByRole('heading', { name: fields['Label'] ?? fields['Name'] ?? '', level: 1 }).waitFor();
    expect(await visitor.accessibilityFaults()).toEqual([]);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: `Delete the ${one}` }).click();
    await page.getByRole('button', { name: `New ${one}` }).waitFor();
  });

  it('show what the server refuses at its field, and what is no JSON', async () => {
    await visitor.open('/projects');
    await visitor.signIn(platform.adminKey);
    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('refused');
    await page.getByRole('textbox', { name: 'Key', exact: true }).fill('REFUSED');
    await page.getByText('More settings').click();
    const settings = page.getByRole('textbox', { name: 'Settings', exact: true });
    await settings.fill('{');
    await page.getByRole('button', { name: 'Create the project' }).click();
    await page.getByText('This is not JSON').waitFor();
    await settings.fill('[1]');
    await page.getByRole('button', { name: 'Create the project' }).click();
    await eventually(async () => {
      expect(await page.getByText('This is not JSON').count()).toBe(0);
      expect(await settings.getAttribute('aria-invalid')).toBe('true');
    });
    expect(await page.getByRole('textbox', { name: 'Key', exact: true }).getAttribute('aria-invalid')).toBe('false');
  });

  it('change only what a person changed', async () => {
    const body = { name: 'app', key: 'APP', goals: 'One.\r\nTwo.\n', settings: { a: { b: [1] } } };
    const { id } = await unwrap(user.client.POST('/api/v1/projects', { body }));
    const params = { path: { project_id: id } };
    await visitor.open(`/projects/${id}`);
    await visitor.signIn(platform.adminKey);
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('textbox', { name: 'Description', exact: true }).fill('An app');
    // Meanwhile, somebody else changes what this person leaves alone.
    const others = { goals: 'Three.\r\n', settings: { a: { b: [2] } } };
    await unwrap(user.client.PATCH('/api/v1/projects/{project_id}', { params, body: others }));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('An app').waitFor();
    expect(await unwrap(user.client.GET('/api/v1/projects/{project_id}', { params }))).toMatchObject({
      ...body,
      ...others,
      description: 'An app',
    });
  });

  it('offer things of the organization where a field names them', async () => {
    const { id: policyId } = await unwrap(user.client.POST('/api/v1/policies', { body: { name: 'quiet hours' } }));
    await visitor.open('/projects');
    await visitor.signIn(platform.adminKey);
    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('governed');
    await page.getByRole('textbox', { name: 'Key', exact: true }).fill('GOVERNED');
    await page.getByText('More settings').click();
    await page.getByRole('checkbox', { name: 'quiet hours' }).check();
    await page.getByRole('button', { name: 'Create the project' }).click();
    await page.getByRole('heading', { name: 'governed', level: 1 }).waitFor();
    await page.getByText(policyId).waitFor();
  });

  it('show the secret of a webhook once, and its deliveries', async () => {
    await visitor.open('/webhooks');
    await visitor.signIn(platform.adminKey);
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill('http://127.0.0.1:9/hook');
    await page.getByRole('button', { name: 'Create the webhook' }).click();
    const secret = page.getByRole('textbox', { name: 'Signing secret' });
    expect(await secret.inputValue()).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('heading', { name: 'http://127.0.0.1:9/hook', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('row', { name: /^ping/ }).waitFor();
    await page.getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByRole('button', { name: 'Replace it' }).click();
    expect(await secret.inputValue()).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await visitor.accessibilityFaults()).toEqual([]);
  });

  it('make a worker queue, pause it and show its workers', async () => {
    await visitor.open('/queues');
    await visitor.signIn(platform.adminKey);
    await page.getByRole('button', { name: 'New worker queue' }).click();
    await page.getByRole('combobox', { name: 'Environment' }).selectOption({ label: 'default' });
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('gpu');
    await page.getByRole('button', { name: 'Create the worker queue' }).click();
    await page.getByRole('heading', { name: 'gpu', level: 1 }).waitFor();
    await page.getByText('WORKER_QUEUE=gpu npm run worker').waitFor();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('It is paused').waitFor();
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByText('Workers take executions.').waitFor();
    const { id: queueId } = await queueNamed('gpu');
    await unwrap(
      user.client.POST('/api/v1/worker-queues/{queue_id}/start', {
        params: { path: { queue_id: queueId } },
        body: { hostname: 'machine-7' },
      }),
    );
    await page.getByRole('link', { name: 'machine-7' }).click();
    await page.getByText('It holds none.').waitFor();
    expect(await visitor.accessibilityFaults()).toEqual([]);
  });

  it('are usable with a key of few scopes: what it may not do says so', async () => {
    const minted = await call('POST', `${platform.platformApi?.url ?? ''}/api/v1/auth/keys`, {
      scheme: 'UserKey',
      key: platform.adminKey,
      body: { name: 'reader', scopes: ['tasks:read'] },
    });
    await visitor.open('/projects');
    await visitor.signIn((minted.body as { readonly key: string }).key);
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    for (const path of LISTS) {
      await page.locator(`nav a[href="/console${path}"]`).click();
      await page.waitForURL(`**/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const allowed = ['/jobs', '/models'].includes(path);
      if (!allowed) await page.getByText(/This takes the scope [a-z]+:[a-z]+\./).waitFor();
    }
    const button = page.getByRole('button', { name: 'New job' });
    await page.locator('nav a[href="/console/jobs"]').click();
    expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([
      true,
      'This takes the scope tasks:execute',
    ]);
  });

  async function queueNamed(name: string): Promise<{ readonly id: string }> {
    const queues = await unwrap(user.client.GET('/api/v1/worker-queues', {}));
    const queue = queues.find((one) => one.name === name);
    if (queue === undefined) throw new Error(`There is no queue ${name}`);
    return queue;
  }
});
