import { beforeAll, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { describeConsole } from '../support/console-desk.js';

/** Failures at once: as many as the server has connections to its database. */
const AT_ONCE = 5;
const PAGE_SIZE = 50;

interface Cause {
  readonly agent: string;
  readonly job: string;
  readonly queue: string;
  readonly count: number;
  /** The error of a run; ids, numbers and quoted text differ between failures of one cause. */
  readonly errorOf: (run: number) => string;
}

const CAUSES: readonly Cause[] = [
  {
    agent: 'invoice reader',
    job: 'hourly invoices',
    queue: 'finance',
    count: 120,
    errorOf: (run) => `The model gateway responded with 503: overloaded (request ${run}f3c)`,
  },
  {
    agent: 'researcher',
    job: 'market watch',
    queue: 'research',
    count: 110,
    errorOf: () => 'The tool "search" is broken: connect ECONNREFUSED 10.0.0.7:8080\nat TCPConnectWrap.afterConnect',
  },
  {
    agent: 'mailer',
    job: 'daily mail',
    queue: 'mail',
    count: 70,
    errorOf: () => 'The secret "MAIL_PASSWORD" of the integration "mail" is not set',
  },
];

describeConsole('an operator who is woken by 300 failures of three causes', (desk) => {
  beforeAll(async () => {
    const jobs = await Promise.all(CAUSES.map(async (cause) => ({ ...cause, id: await newJob(cause) })));
    const runs = jobs.flatMap((job) => Array.from({ length: job.count }, (_, run) => ({ job, run })));
    // The causes alternate, as at night.
    const pending = runs.toSorted((one, other) => one.run - other.run);
    const work = async (): Promise<void> => {
      for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        await fail(next.job.id, next.job.errorOf(next.run));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  });

  it('sees the causes at first sight, and is at the error of one run after two clicks', async () => {
    const { page } = desk;
    await desk.open('/');
    await page.getByRole('link', { name: 'Failed: 300' }).waitFor();
    const causes = page.getByRole('region', { name: 'What failed, by cause' }).getByRole('row');
    await causes.filter({ hasText: 'The model gateway responded with 503: overloaded' }).waitFor();
    expect(await causes.count()).toBe(1 + CAUSES.length);
    for (const [index, { agent, count }] of CAUSES.entries()) {
      const row = causes.nth(1 + index);
      await row.getByRole('cell', { name: String(count), exact: true }).waitFor();
      await row.getByRole('cell', { name: `${agent} ${count}`, exact: true }).waitFor();
    }
    // All of them without scrolling, with what the title leaves out.
    expect(await page.evaluate('window.scrollY')).toBe(0);
    const last = await causes.last().boundingBox();
    expect((last?.y ?? Infinity) + (last?.height ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
    const search = causes.filter({ hasText: 'such as The tool "search" is broken' });
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);

    await search.getByRole('link', { name: /is broken/ }).click();
    await page.getByRole('button', { name: /^Like The tool "search" is broken/ }).waitFor();
    const failures = page.getByRole('row', { name: /^failed researcher .* The tool "search" is broken/ });
    await eventually(async () => expect(await failures.count()).toBe(PAGE_SIZE));
    expect(await page.getByRole('row').count()).toBe(1 + PAGE_SIZE);
    const list = page.url();

    await failures.first().getByRole('rowheader').getByRole('link').click();
    await page.getByRole('alert').getByText('connect ECONNREFUSED 10.0.0.7:8080').waitFor();
    for (const name of ['researcher', 'market watch', 'research']) {
      await page.getByRole('region', { name: 'Facts' }).getByRole('link', { name, exact: true }).waitFor();
    }
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);

    await page.goBack();
    await eventually(async () => expect(await failures.count()).toBe(PAGE_SIZE));
    expect(page.url()).toBe(list);
  });

  it('is led from one failure to all of its cause', async () => {
    const { page } = desk;
    await desk.open('/executions?status=failed');
    const secret = page.getByRole('row', { name: /The secret "MAIL_PASSWORD"/ });
    await secret.first().getByRole('rowheader').getByRole('link').click();
    await page.getByRole('link', { name: 'All failures of this cause' }).click();
    await page.getByRole('button', { name: /^Like The secret "MAIL_PASSWORD"/ }).waitFor();
    await eventually(async () => expect(await secret.count()).toBe((await page.getByRole('row').count()) - 1));
  });

  it('is led from a list of all failures to those of one cause, and back', async () => {
    const { page } = desk;
    await desk.open('/');
    await page.getByRole('link', { name: 'Failed: 300' }).click();
    await page
      .getByRole('link', { name: /^The secret "MAIL_PASSWORD"/ })
      .first()
      .click();
    await page.getByRole('button', { name: /^Like The secret "MAIL_PASSWORD"/ }).click();
    await page.getByRole('button', { name: /^Like / }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'failed', pressed: true }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: /^Like The secret "MAIL_PASSWORD"/ }).waitFor();
  });

  it('does nothing to rows that were selected before the filters changed', async () => {
    const { page } = desk;
    await desk.open('/executions?status=failed');
    await page.getByRole('checkbox', { name: 'Select mailer' }).first().check();
    await page.getByRole('button', { name: 'Run these 1 again' }).waitFor();
    await page.getByRole('button', { name: 'cancelled' }).click();
    await page.getByRole('button', { name: 'cancelled', pressed: true }).waitFor();
    await page.getByRole('button', { name: `Run these ${PAGE_SIZE} again` }).waitFor();
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0);
  });

  it('repeats all failures of one cause at once, also those that are not shown', async () => {
    const { page } = desk;
    await desk.open('/');
    await page.getByRole('link', { name: /^The tool .* is broken/ }).click();
    await page.getByRole('button', { name: 'Run all that match again' }).click();
    const question = page.getByRole('dialog', { name: 'Run 110 executions again?' });
    await question.waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await question.getByRole('button', { name: 'Run them again' }).click();
    await question.getByText('110 done', { exact: true }).waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await question.getByRole('link', { name: 'What was started' }).click();
    const started = page.getByRole('row', { name: /^pending researcher/ });
    await eventually(async () => expect(await started.count()).toBe(PAGE_SIZE));
    await page.getByRole('button', { name: 'Cancel all that match' }).click();
    await page.getByRole('dialog', { name: 'Cancel 110 executions?' }).waitFor();
  });

  it('stops what is done to all failures between two requests, and goes on where it stopped', async () => {
    const { page } = desk;
    await desk.open('/executions?status=failed');
    await page.getByRole('button', { name: 'Run all that match again' }).click();
    const question = page.getByRole('dialog', { name: 'Run 300 executions again?' });
    const answers: (() => void)[] = [];
    await page.route('**/executions/bulk', async (route) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      await route.continue();
    });
    await question.getByRole('button', { name: 'Run them again' }).click();
    await eventually(() => expect(answers).toHaveLength(1));
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Stop' }).click();
    answers[0]?.();
    await question.getByText('100 of 300 done').waitFor();
    await page.unroute('**/executions/bulk');
    await question.getByRole('button', { name: 'Go on' }).click();
    await question.getByText('300 done', { exact: true }).waitFor();
  });

  it('starts nothing twice when it goes on after an answer was lost', async () => {
    const { page } = desk;
    const before = await countOfAll();
    await desk.open('/executions?status=failed');
    await page.getByRole('button', { name: 'Run all that match again' }).click();
    const question = page.getByRole('dialog', { name: 'Run 300 executions again?' });
    await page.route('**/executions/bulk', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await question.getByRole('button', { name: 'Run them again' }).click();
    await question.getByRole('alert').waitFor();
    await question.getByText('0 of 300 done', { exact: true }).waitFor();
    expect(await countOfAll()).toBe(before + 100);
    await page.unroute('**/executions/bulk');
    await question.getByRole('button', { name: 'Go on' }).click();
    await question.getByText('300 done', { exact: true }).waitFor();
    expect(await countOfAll()).toBe(before + 300);
    expect(desk.visitor.faults.splice(0).filter((fault) => !fault.endsWith('net::ERR_FAILED'))).toEqual([]);
  });

  it('starts the shown ones once, also if it is confirmed again after an answer was lost', async () => {
    const { page } = desk;
    const before = await countOfAll();
    await desk.open('/executions?status=failed');
    await page.getByRole('button', { name: `Run these ${PAGE_SIZE} again` }).click();
    const question = page.getByRole('dialog', { name: `Run ${PAGE_SIZE} executions again?` });
    await page.route('**/executions/bulk', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await question.getByRole('button', { name: 'Run them again' }).click();
    await question.getByRole('alert').waitFor();
    await page.unroute('**/executions/bulk');
    await question.getByRole('button', { name: 'Run them again' }).click();
    await page.getByText(`${PAGE_SIZE} done`, { exact: true }).waitFor();
    expect(await countOfAll()).toBe(before + PAGE_SIZE);
    expect(desk.visitor.faults.splice(0).filter((fault) => !fault.endsWith('net::ERR_FAILED'))).toEqual([]);
  });

  async function countOfAll(): Promise<number> {
    const { count } = await unwrap(desk.user.client.GET('/api/v1/execution-summaries/count'));
    return count;
  }

  async function newJob({ agent, job, queue }: Cause): Promise<string> {
    await desk.user.newQueue(queue);
    return desk.user.newJob(await desk.user.newAgent({ name: agent }), {
      name: job,
      trigger_type: 'cron',
      cron_schedule: '0 3 1 1 *',
      prompt_template: 'Go',
      executor_type: 'specific_queue',
      worker_queue_name: queue,
    });
  }

  async function fail(jobId: string, error_message: string): Promise<void> {
    const { client } = desk.user;
    const { execution_id } = await desk.user.trigger(jobId);
    if (execution_id === null) throw new Error('The job started nothing');
    const params = { path: { execution_id } };
    for (const body of [{ status: 'running' }, { status: 'failed', error_message }] as const) {
      await unwrap(client.PATCH('/api/v1/executions/{execution_id}', { params, body }));
    }
  }
});
