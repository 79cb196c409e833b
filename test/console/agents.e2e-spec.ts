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

inBrowser('the pages of the agents', () => {
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

  it('lead from nothing to the answer of an agent', async () => {
    await platform.startWorker();
    await visitor.open('/agents');
    await visitor.signIn(platform.adminKey);
    await page.getByText('There are no agents yet.').waitFor();
    await page.getByRole('button', { name: 'New agent' }).click();
    await page.getByLabel('Start from').selectOption({ label: 'Greeter: answers in one sentence' });
    await eventually(async () =>
      expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('greeter'),
    );
    expect(await visitor.accessibilityFaults()).toEqual([]);
    await page.getByRole('button', { name: 'Create the agent' }).click();
    await page.getByRole('heading', { name: 'greeter' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Prompt', exact: true }).inputValue()).toBe(
      'Write a greeting for Ada.',
    );
    expect(await visitor.accessibilityFaults()).toEqual([]);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('log', { name: 'Transcript' }).getByText('assistant').waitFor();
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    expect(await page.title()).toContain('greeter: completed');
  });

  it('change what they have fields for, and keep the rest', async () => {
    const id = await user.newAgent({ name: 'analyst', description: 'old', llm_config: { temperature: 0.5 } });
    await visitor.open(`/agents/${id}`);
    await visitor.signIn(platform.adminKey);
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('senior analyst');
    await page.getByLabel('Description').fill('');
    const params = { path: { agent_id: id } };
    // Meanwhile, somebody else changes a field that this person leaves alone.
    const body = { system_prompt: 'You analyse.\n' };
    await unwrap(user.client.PATCH('/api/v1/agents/{agent_id}', { params, body }));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'senior analyst' }).waitFor();
    const agent = await unwrap(user.client.GET('/api/v1/agents/{agent_id}', { params }));
    expect(agent).toMatchObject({
      name: 'senior analyst',
      description: null,
      system_prompt: 'You analyse.\n',
      llm_config: { temperature: 0.5 },
    });
  });

  it('delete an agent after a question', async () => {
    await visitor.open(`/agents/${await user.newAgent({ name: 'old one' })}`);
    await visitor.signIn(platform.adminKey);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the agent' }).click();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    await eventually(async () => expect(await page.getByRole('link', { name: 'old one' }).count()).toBe(0));
  });

  it('say which scope what the key may not do takes', async () => {
    const id = await user.newAgent({ name: 'seen' });
    const minted = await call('POST', `${platform.platformApi?.url ?? ''}/api/v1/auth/keys`, {
      scheme: 'UserKey',
      key: platform.adminKey,
      body: { name: 'reader', scopes: ['agents:read'] },
    });
    await visitor.open(`/agents/${id}`);
    await visitor.signIn((minted.body as { readonly key: string }).key);
    for (const [name, scope] of [
      ['Change', 'agents:write'],
      ['Delete', 'agents:write'],
      ['Run', 'tasks:execute'],
    ] as const) {
      const button = page.getByRole('button', { name, exact: true });
      expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([
        true,
        `This takes the scope ${scope}`,
      ]);
    }
  });
});
