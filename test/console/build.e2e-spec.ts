import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import type { Browser, Page } from 'playwright-core';
import { findProgram } from '../../tools/provision/programs.js';
import { startBrowser } from '../support/browser.js';
import { ConsoleVisitor } from '../support/console-visitor.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

const chromium = findProgram('chromium');
const inBrowser = chromium === undefined ? describe.skip : describe;

inBrowser('the pages on which a builder works', () => {
  let platform: Platform;
  let browser: Browser;
  let user: Scenario;
  let visitor: ConsoleVisitor;
  let page: Page;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
    await platform.startWorker();
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

  it('run the example of a workflow, with a value for its parameter', async () => {
    await visitor.open('/workflows');
    await visitor.signIn(platform.adminKey);
    await startFrom('workflow', 'Draft and review: two prompts to the default model');
    await page.getByRole('heading', { name: 'draft-and-review', level: 1 }).waitFor();
    await page.getByRole('row', { name: /^review prompt/ }).waitFor();
    expect(await visitor.accessibilityFaults()).toEqual([]);
    await page.getByRole('textbox', { name: 'topic', exact: true }).fill('lighthouses');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    expect(await page.title()).toContain('draft-and-review: completed');
    const steps = await stepsOfLastWorkflow();
    expect(JSON.stringify(steps)).toContain('lighthouses');
  });

  it('make a team of agents, and run it', async () => {
    await user.newAgent({ name: 'writer' });
    await visitor.open('/teams');
    await visitor.signIn(platform.adminKey);
    await startFrom('team', 'Crew: splits the work between its agents');
    await page.getByText('It has no agent yet').waitFor();
    await page.getByRole('combobox', { name: 'Agent' }).selectOption({ label: 'writer' });
    await page.getByRole('button', { name: 'Add to the team' }).click();
    await page.getByRole('button', { name: 'Remove writer' }).waitFor();
    expect(await visitor.accessibilityFaults()).toEqual([]);
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Write a line.');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    expect(await page.title()).toContain('crew: completed');
  });

  it('make a job with a schedule, show its next times, disable and trigger it', async () => {
    await user.newAgent({ name: 'reporter' });
    await visitor.open('/jobs');
    await visitor.signIn(platform.adminKey);
    await page.getByRole('button', { name: 'New job' }).click();
    await page.getByLabel('Start from').selectOption({ label: 'Every weekday at nine' });
    await page.getByRole('combobox', { name: 'Runs' }).selectOption({ label: 'reporter (agent)' });
    await page.getByRole('textbox', { name: 'Cron timezone' }).fill('Europe/Berlin');
    expect(await visitor.accessibilityFaults()).toEqual([]);
    await page.getByRole('button', { name: 'Create the job' }).click();
    await page.getByRole('heading', { name: 'Next times of 0 9 * * MON-FRI in Europe/Berlin' }).waitFor();
    await page.locator('li', { hasText: ' 09:00:00' }).nth(9).waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled: nothing triggers it').waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    expect(await visitor.accessibilityFaults()).toEqual([]);
    await page.getByRole('button', { name: 'Trigger now' }).click();
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    await page.goBack();
    await page.getByRole('row', { name: /^completed manual/ }).waitFor();
  });

  it('make a job that another system calls with its secret', async () => {
    await user.newAgent({ name: 'receiver' });
    await visitor.open('/jobs');
    await visitor.signIn(platform.adminKey);
    await page.getByRole('button', { name: 'New job' }).click();
    await page.getByLabel('Start from').selectOption({ label: 'When another system calls' });
    await page.getByRole('combobox', { name: 'Runs' }).selectOption({ label: 'receiver (agent)' });
    await page.getByRole('button', { name: 'Create the job' }).click();
    const url = await page.getByRole('textbox', { name: 'Webhook address' }).inputValue();
    const secret = await page.getByLabel('Webhook secret').inputValue();
    const body = '{"text": "hello"}';
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const headers = { 'Content-Type': 'application/json', 'X-Webhook-Signature': `sha256=${signature}` };
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
    await page.reload();
    await page.getByRole('row', { name: / webhook / }).waitFor();
    await page.getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByRole('button', { name: 'Replace it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(401);
  });

  it('try a policy, let it deny an agent, and say why', async () => {
    const agentId = await user.newAgent({ name: 'governed' });
    await visitor.open('/policies');
    await visitor.signIn(platform.adminKey);
    await startFrom('policy', 'Deny at night');
    const source = page.getByRole('textbox', { name: 'Rego' });
    await source.fill('package no\n\nallow := false if {');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('It does not compile').waitFor();
    await page.getByText(/^Line \d+, column \d+: /).waitFor();
    await source.fill('package no\n\nviolations contains "not today"\n');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('Denied').waitFor();
    await page.getByText('not today').last().waitFor();
    await page.getByRole('button', { name: 'Save the source' }).click();
    await page.getByRole('row', { name: /^2 deny at night/ }).waitFor();
    await page.getByRole('combobox', { name: 'Name' }).selectOption({ label: 'governed' });
    await page.getByRole('button', { name: 'Apply the policy to it' }).click();
    await page.getByRole('link', { name: agentId }).click();
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Go on.');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('not today').first().waitFor();
    await page.getByRole('link', { name: 'Decisions' }).click();
    await page.getByRole('link', { name: 'Denied' }).first().click();
    await page.getByRole('row', { name: /^deny at night 2 denies not today/ }).waitFor();
    await page.getByRole('button', { name: 'Decide again' }).click();
    await page.getByText('The same again: denied (not today)').waitFor();
    expect(await visitor.accessibilityFaults()).toEqual([]);
  });

  async function startFrom(one: string, label: string): Promise<void> {
    await page.getByRole('button', { name: `New ${one}` }).click();
    await page.getByLabel('Start from').selectOption({ label });
    await page.getByRole('button', { name: `Create the ${one}` }).click();
  }

  async function stepsOfLastWorkflow(): Promise<unknown> {
    const query = { execution_type: 'workflow' as const };
    const { items } = await unwrap(user.client.GET('/api/v1/execution-summaries', { params: { query } }));
    const params = { path: { execution_id: items[0]?.id ?? '' } };
    return unwrap(user.client.GET('/api/v1/executions/{execution_id}/steps', { params }));
  }
});
