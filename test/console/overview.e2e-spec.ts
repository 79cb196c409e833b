import { expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import type { Request } from 'playwright-core';
import { describeConsole } from '../support/console-desk.js';
import { Scenario } from '../support/scenario.js';

const HOUR_MS = 3_600_000;

/** How long the period in an address is. */
function periodIn(url: string): number {
  const { searchParams } = new URL(url);
  return Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '');
}

describeConsole('the overview', (desk) => {
  const failed = async (error_message: string): Promise<string> => {
    const { execution_id } = await unwrap(
      desk.user.client.POST('/api/v1/executions/create', { body: { prompt: 'Go' } }),
    );
    const params = { path: { execution_id } };
    for (const body of [{ status: 'running' }, { status: 'failed', error_message }] as const)
      await unwrap(desk.user.client.PATCH('/api/v1/executions/{execution_id}', { params, body }));
    return execution_id;
  };
  const causes = () => desk.page.getByRole('region', { name: 'What failed, by cause' });

  it('leads through the first steps, until there are many executions', async () => {
    const steps = desk.page.getByRole('region', { name: 'The first steps' });
    await desk.open('/');
    await steps.getByText('○ to do: Run it').waitFor();
    await failed('No such place');
    await desk.page.reload();
    await steps.getByText('✓ done: Run it').waitFor();
    const another = await desk.platform.createOrganization('not new');
    const user = new Scenario(desk.platform, { key: another.adminKey });
    for (let run = 0; run < 20; run += 1)
      await unwrap(user.client.POST('/api/v1/executions/create', { body: { prompt: 'Go' } }));
    await desk.page.getByRole('button', { name: 'Sign out' }).click();
    const runs = desk.page.waitForResponse(/execution-summaries\?limit=20$/);
    await desk.open('/', another.adminKey);
    await (await runs).finished();
    await desk.page.getByRole('region', { name: 'Queues' }).waitFor();
    await steps.waitFor({ state: 'detached' });
  });

  it('groups failures by cause, and leads to those of one cause', async () => {
    for (const city of ['Paris', 'Rome', 'Oslo']) await failed(`The tool "weather" failed for "${city}"`);
    const last = await failed('The model is not available');
    await desk.open('/');
    const weather = causes().getByRole('row').filter({ hasText: 'The tool' });
    await weather.getByRole('cell', { name: '3', exact: true }).waitFor();
    await weather.getByText('new', { exact: true }).waitFor();
    await desk.page.getByRole('link', { name: 'Failed: 5' }).waitFor();
    await desk.page.getByText('The figures as a table').click();
    await desk.page
      .getByRole('img', { name: 'How executions ended over time' })
      .or(desk.page.locator('.recharts-surface'))
      .first()
      .waitFor();
    await desk.page.locator('.recharts-wrapper').hover();
    await desk.page.locator('.recharts-tooltip-item-name', { hasText: 'cancelled' }).waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await weather.getByRole('link', { name: /^The tool/ }).click();
    await desk.page.getByRole('heading', { name: 'Executions' }).waitFor();
    await eventually(async () => expect(await desk.page.getByRole('row').count()).toBe(4));
    await desk.page.goBack();
    await causes().getByRole('row').filter({ hasText: 'The model' }).getByRole('link', { name: 'open' }).click();
    await eventually(() => expect(desk.page.url()).toContain(last));
  });

  it('narrows its period to what is selected on the plot, with the mouse and with the keys', async () => {
    await failed('The disk is full');
    await desk.open('/');
    const { page } = desk;
    const surface = page.locator('.recharts-wrapper');
    await surface.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await surface.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const pointAt = (share: number) => [x + width * share, y + height / 2] as const;
    await page.mouse.move(...pointAt(0.5));
    await page.mouse.down();
    await page.mouse.move(...pointAt(0.7), { steps: 5 });
    await page.mouse.move(...pointAt(0.93), { steps: 5 });
    // The button is released beside the plot.
    await page.mouse.move(x + width * 0.93, y - 30);
    await page.mouse.up();
    await page.waitForURL(/\?from=.*&to=/);
    const dragged = periodIn(page.url());
    expect(dragged / HOUR_MS).toBeGreaterThan(8);
    expect(dragged / HOUR_MS).toBeLessThan(16);
    const chosen = page.getByRole('button', { name: '✕' });
    await chosen.waitFor();
    const start = page.getByRole('slider', { name: 'Start of the selected period' });
    await start.press('End');
    await start.press('ArrowLeft');
    await page.getByRole('button', { name: 'Show the selected period' }).waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await start.press('Enter');
    await eventually(() => expect(periodIn(page.url())).toBeLessThan(dragged / 2));
    await page.getByRole('link', { name: /^Failed: [1-9]/ }).waitFor();
    await page.goBack();
    await eventually(() => expect(periodIn(page.url())).toBe(dragged));
    await chosen.click();
    await page.waitForURL(/console\/$/);
  });

  it('says first of all that work waits which no worker takes', async () => {
    const queueId = await desk.user.newQueue('abandoned');
    await desk.user.execute(await desk.user.newAgent({ name: 'waiting' }), 'Hello', queueId);
    await desk.open('/');
    await desk.page.getByRole('alert').getByText('1 waiting in abandoned, and no worker takes them').waitFor();
    await desk.page.getByRole('alert').getByText('WORKER_QUEUE=abandoned').waitFor();
    await desk.page.getByRole('link', { name: /^Waiting for a worker: [1-9]/ }).waitFor();
    await desk.page.getByRole('button', { name: 'Last hour' }).click();
    await eventually(() => expect(desk.page.url()).toBe(`${desk.platform.url}/console/?range=1h`));
  });

  it('shows the rest if a part was removed by an upgrade, and loads anew on request', async () => {
    await desk.page.route(/\/assets\/ended-plot-[^/]*\.js$/, (route) => route.fulfill({ status: 404 }));
    await desk.open('/');
    const plot = desk.page.getByRole('region', { name: 'How executions ended' });
    await plot.getByRole('alert').waitFor();
    await desk.page.getByRole('region', { name: 'Queues' }).waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    // React reports the part that it could not draw.
    expect(desk.visitor.faults.splice(0).join()).toMatch(/ended-plot/);
    await desk.page.unroute(/\/assets\/ended-plot-[^/]*\.js$/);
    await plot.getByRole('button', { name: 'Load the page again' }).click();
    await plot.locator('.recharts-surface').first().waitFor();
  });

  it('says how many failures the largest causes leave out', async () => {
    for (const word of 'One Two Three Four Five Six Seven Eight Nine Ten'.split(' ')) await failed(`${word} is broken`);
    await desk.open('/');
    await causes()
      .getByText(/^\d failures have other causes\.$/)
      .waitFor();
    expect(await causes().getByRole('row').count()).toBe(11);
  });

  it('repeats the failures of one cause at once, and says what was refused', async () => {
    for (const city of ['Bern', 'Kyiv']) await failed(`The connector "rail" is broken for "${city}"`);
    await desk.open('/');
    await causes()
      .getByRole('link', { name: /connector/ })
      .click();
    await desk.page.getByRole('button', { name: 'Run these 2 again' }).click();
    await desk.page.getByRole('button', { name: 'Run them again' }).click();
    await desk.page.getByText(/^2 done|^\d done, \d refused: /).waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
  });

  it('shows what schedules start next, and that the platform works', async () => {
    const agentId = await desk.user.newAgent({ name: 'early' });
    await desk.user.newJob(agentId, { name: 'at dawn', trigger_type: 'cron', cron_schedule: '0 5 * * *' });
    await desk.open('/');
    await desk.page
      .getByRole('region', { name: 'Next times of schedules' })
      .getByRole('link', { name: 'at dawn' })
      .waitFor();
    await desk.page.getByText('The API and the event bus work.').waitFor();
  });

  it('costs less than a request a minute in a night, and shows at once what happened when a person returns', async () => {
    await desk.page.clock.install();
    await desk.open('/');
    await desk.page.getByText('The API and the event bus work.').waitFor();
    await desk.page.clock.runFor('11:00');
    let requests = 0;
    // Requests of the minutes before can end now.
    const open = new Set<Request>();
    const ended = (request: Request): unknown => open.delete(request);
    desk.page.on('request', (request) => {
      if (!request.url().includes('/api/')) return;
      requests++;
      open.add(request);
    });
    desk.page.on('requestfinished', ended);
    desk.page.on('requestfailed', ended);
    for (let minute = 0; minute < 60; minute++) {
      await desk.page.clock.runFor('01:00');
      await eventually(() => expect(open.size).toBe(0));
    }
    expect(requests).toBeLessThan(60);
    await failed('The night shift is gone');
    await desk.page.mouse.move(300, 300);
    await causes().getByRole('row').filter({ hasText: 'night shift' }).waitFor();
  });
});
