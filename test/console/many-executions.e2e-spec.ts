import { beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { describeConsole } from '../support/console-desk.js';
import { sizeOf } from '../support/long-form.js';

const COUNT = sizeOf({ short: 20_000, long: 1_000_000 });
/** Pages that a person reads one after the other. */
const PAGES = 10;
const PAGE_SIZE = 50;
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
  beforeAll(async () => {
    const id = await desk.user.execute(
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
      const answer = page.waitForResponse(/execution-summaries\?.*cursor=/);
      await page.getByRole('button', { name: 'Older executions' }).click();
      await (await answer).finished();
      await page.getByRole('button', { name: 'Older executions', disabled: false }).waitFor();
      expect(await rows.count()).toBeLessThanOrEqual(MOST_ROWS);
    }
    // The last row of the tenth page can be reached.
    await page.keyboard.press('End');
    await rows.filter({ hasText: 'failure number 499' }).waitFor();
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
});

/** As a field for a date and a time takes it, in the zone of this machine. */
function localText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
