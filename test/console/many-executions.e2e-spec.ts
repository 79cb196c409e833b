import { beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import type { Locator } from 'playwright-core';
import { describeConsole } from '../support/console-desk.js';
import { sizeOf } from '../support/long-form.js';

const COUNT = sizeOf({ short: 20_000, long: 1_000_000 });
/** Pages that a person reads one after the other. */
const PAGES = 10;
const PAGE_SIZE = 50;
/** Pages that the list keeps in memory. */
const MOST_PAGES = 40;
/** As many rows as a page has at most, with its head. */
const MOST_ROWS = 201;

/** Ended executions beside the given one, one a second; each hundredth failed. */
const FILL = `
  INSERT INTO executions (organization_id, id, execution_type, entity_id, prompt, status, response, usage,
    execution_metadata, participants, created_at, completed_at, updated_at, trigger_type, trigger_metadata, config,
    execution_environment, attempt, max_attempts, error_message)
  SELECT organization_id, id || '-' || n, 'agent', entity_id, 'p', CASE WHEN n % 100 = 99 THEN 'failed' ELSE 'completed' END,
    'r', '{}', '{}', '[]', now() - n * interval '1 second', now() - n * interval '1 second', now(), 'manual', '{}', '{}',
    '{}', 1, 3, CASE WHEN n % 100 = 99 THEN 'failure number ' || n END
  FROM executions, generate_series(1, $1::int) n WHERE id = $2`;

describeConsole('the list of very many executions', (desk) => {
  /** The newest execution; the others have its id with their place in the list. */
  let id: string;

  beforeAll(async () => {
    id = await desk.user.execute(
      await desk.user.newAgent({ name: 'busy' }),
      'Go',
      await desk.user.newQueue('unserved'),
    );
    await desk.platform.sql(FILL, [COUNT, id]);
  });

  it('has few rows on the page, is filtered and leads to any time, and nothing is counted', async () => {
    const { page } = desk;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await desk.open('/executions');
    const rows = page.getByRole('row');
    await rows.nth(PAGE_SIZE).waitFor();
    for (let shown = 1; shown < PAGES; shown += 1) {
      await readOn();
      expect(await rows.count()).toBeLessThanOrEqual(MOST_ROWS);
    }
    // The last row of the tenth page can be reached.
    await scroll('End', rows.filter({ hasText: 'failure number 499' }));
    expect(await rows.count()).toBeLessThanOrEqual(MOST_ROWS);
    await page.getByRole('button', { name: 'failed' }).click();
    await rows.filter({ hasText: 'failure number 99' }).first().waitFor();
    const ago = new Date(Date.now() - COUNT * 500);
    await page.getByLabel('Created until').fill(localText(ago));
    await page.waitForURL(/[?&]to=/);
    await eventually(async () => {
      const error = await rows
        .nth(1)
        .getByRole('cell', { name: /^failure number/ })
        .textContent();
      expect(Math.abs(Number(/\d+$/.exec(error ?? '')?.[0]) - COUNT / 2)).toBeLessThan(400);
    });
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    expect(asked.filter((path) => path.endsWith('/count'))).toEqual([]);
  });

  it('has the first pages in memory no longer once many were read, and reads them again', async () => {
    const { page } = desk;
    await desk.open('/executions');
    await page.getByRole('row').nth(PAGE_SIZE).waitFor();
    for (let shown = 1; shown < MOST_PAGES + 3; shown += 1) await readOn();
    await scroll('End', rowAt((MOST_PAGES + 3) * PAGE_SIZE - 1));
    // What is dropped keeps its room: the page scrolls to the top of the list, which is read anew.
    const again = page.waitForResponse((response) => /execution-summaries\?(?!.*cursor=)/.test(response.url()));
    await scroll('Home', rowAt(0));
    await again;
    expect(await rowAt(0).getByRole('link').getAttribute('href')).toBe(`/console/executions/${id}`);
    await readOn();
    await rowAt(PAGE_SIZE).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThanOrEqual(MOST_ROWS);
  });

  it('is walked through by keys, also where rows are not drawn or not read yet', async () => {
    const { page } = desk;
    await desk.open('/executions');
    await page.getByRole('row').nth(PAGE_SIZE).waitFor();
    const walk = async (key: string, places: readonly number[]): Promise<void> => {
      for (const place of places) {
        await page.keyboard.press(key);
        await rowAt(place).locator(':focus').waitFor();
      }
    };
    await walk('j', range(0, 2 * PAGE_SIZE - 1));
    const opened = (place: number) => page.waitForURL(`**/console/executions/${id}-${place}`);
    await page.keyboard.press('Enter');
    await opened(2 * PAGE_SIZE - 1);
    // The next one is on a page of the list that is read only now.
    await page.keyboard.press(']');
    await opened(2 * PAGE_SIZE);
    await page.keyboard.press('[');
    await opened(2 * PAGE_SIZE - 1);
    await page.keyboard.press('Escape');
    await rowAt(2 * PAGE_SIZE).waitFor();
    for (let shown = 3; shown < PAGES; shown += 1) await readOn();
    // The row with the focus is neither seen nor forgotten.
    await scroll('Home', rowAt(1));
    await rowAt(1).getByRole('link').focus();
    await scroll('End', rowAt(PAGES * PAGE_SIZE - 1));
    await walk('j', [2, 3]);
    await walk('k', [2]);
  });

  const rowAt = (place: number) => desk.page.locator(`tr[data-index="${place}"]`);
  const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_one, at) => first + at);

  /** Presses the key until the row is there: rows that are being measured can move the page back. */
  async function scroll(key: 'Home' | 'End', row: Locator): Promise<void> {
    await eventually(async () => {
      await desk.page.keyboard.press(key);
      expect(await row.count()).toBe(1);
    });
  }

  /** Reads the next page of the list. */
  async function readOn(): Promise<void> {
    const answer = desk.page.waitForResponse(/execution-summaries\?.*cursor=/);
    // Not by the mouse: rows that are being measured can move the button under it.
    await desk.page.getByRole('button', { name: 'Older executions' }).press('Enter');
    await (await answer).finished();
    await desk.page.getByRole('button', { name: 'Older executions', disabled: false }).waitFor();
  }
});

/** As a field for a date and a time takes it, in the zone of this machine. */
function localText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
