import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import type { Browser, Page } from 'playwright-core';
import { findProgram } from '../../tools/provision/programs.js';
import { startBrowser } from '../support/browser.js';
import { ConsoleVisitor } from '../support/console-visitor.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

const chromium = findProgram('chromium');
const inBrowser = chromium === undefined ? describe.skip : describe;

inBrowser('the overview', () => {
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

  const failed = async (error_message: string): Promise<string> => {
    const { execution_id } = await unwrap(user.client.POST('/api/v1/executions/create', { body: { prompt: 'Go' } }));
    const params = { path: { execution_id } };
    for (const body of [{ status: 'running' }, { status: 'failed', error_message }] as const)
      await unwrap(user.client.PATCH('/api/v1/executions/{execution_id}', { params, body }));
    return execution_id;
  };
  const causes = () => page.getByRole('region', { name: 'What failed, by cause' });

  it('groups failures by cause, and leads to those of one cause', async () => {
    for (const city of ['Paris', 'Rome', 'Oslo']) await failed(`The tool "weather" failed for "${city}"`);
    const last = await failed('The model is not available');
    await visitor.open('/');
    await visitor.signIn(platform.adminKey);
    const weather = causes().getByRole('row').filter({ hasText: 'The tool' });
    await weather.getByRole('cell', { name: '3', exact: true }).waitFor();
    await weather.getByText('new', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Failed: 4' }).waitFor();
    await page.getByText('The figures as a table').click();
    await page
      .getByRole('img', { name: 'How executions ended over time' })
      .or(page.locator('.recharts-surface'))
      .first()
      .waitFor();
    expect(await visitor.accessibilityFaults()).toEqual([]);
    await weather.getByRole('link', { name: /^The tool/ }).click();
    await page.getByRole('heading', { name: 'Executions' }).waitFor();
    await eventually(async () => expect(await page.getByRole('row').count()).toBe(4));
    await page.goBack();
    await causes().getByRole('row').filter({ hasText: 'The model' }).getByRole('link', { name: 'open' }).click();
    await eventually(() => expect(page.url()).toContain(last));
  });

  it('says first of all that work waits which no worker takes', async () => {
    const queueId = await user.newQueue('abandoned');
    await user.execute(await user.newAgent({ name: 'waiting' }), 'Hello', queueId);
    await visitor.open('/');
    await visitor.signIn(platform.adminKey);
    await page.getByRole('alert').getByText('1 waiting in abandoned, and no worker takes them').waitFor();
    await page.getByRole('alert').getByText('WORKER_QUEUE=abandoned').waitFor();
    await page.getByRole('link', { name: /^Waiting for a worker: [1-9]/ }).waitFor();
    await page.getByRole('button', { name: 'Last hour' }).click();
    await eventually(() => expect(page.url()).toBe(`${platform.url}/console/?range=1h`));
  });

  it('shows the rest if a part was removed by an upgrade, and loads anew on request', async () => {
    await page.route(/\/assets\/ended-plot-[^/]*\.js$/, (route) => route.fulfill({ status: 404 }));
    await visitor.open('/');
    await visitor.signIn(platform.adminKey);
    const plot = page.getByRole('region', { name: 'How executions ended' });
    await plot.getByRole('alert').waitFor();
    await page.getByRole('region', { name: 'Queues' }).waitFor();
    expect(await visitor.accessibilityFaults()).toEqual([]);
    // React reports the part that it could not draw.
    expect(visitor.faults.splice(0).join()).toMatch(/ended-plot/);
    await page.unroute(/\/assets\/ended-plot-[^/]*\.js$/);
    await plot.getByRole('button', { name: 'Load the page again' }).click();
    await plot.locator('.recharts-surface').first().waitFor();
  });
});
