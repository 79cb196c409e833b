import { beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { describeConsole } from '../support/console-desk.js';

describeConsole('a newcomer who has started the platform', (desk) => {
  beforeAll(() => desk.platform.startWorker());

  it('is led to an answer, to a job with a schedule, and to a run that is denied and says why', async () => {
    const { page } = desk;
    // Browsers are sent from the address of the control plane to the console.
    await page.goto(desk.url);
    await desk.visitor.signIn(desk.platform.adminKey);
    const steps = page.getByRole('region', { name: 'The first steps' });
    const toDo = steps.getByRole('listitem').filter({ hasText: 'to do' });
    await eventually(async () => expect(await toDo.count()).toBe(4));
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);

    await steps.getByRole('link', { name: 'agent', exact: true }).click();
    await newFrom('agent', 'Greeter: answers in one sentence');
    await submit('agent');
    await page.getByRole('heading', { name: 'greeter', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('log', { name: 'Transcript' }).getByText('Write a greeting for Ada.').waitFor();
    await page.getByRole('button', { name: 'Run again' }).waitFor();

    await page.getByRole('link', { name: 'Overview' }).click();
    await eventually(async () => expect(await toDo.count()).toBe(2));
    await steps.getByRole('link', { name: 'job', exact: true }).click();
    await newFrom('job', 'Every weekday at nine');
    // The example cannot know what it runs: the form asks for it, before anything is sent.
    await submit('job');
    const runs = page.getByRole('combobox', { name: 'Runs' });
    await page.locator('select[name=runs]:focus:invalid').waitFor();
    await runs.selectOption({ label: 'greeter (agent)' });
    await submit('job');
    await page.getByRole('heading', { name: 'Next times of 0 9 * * MON-FRI in UTC' }).waitFor();
    await page.locator('li', { hasText: ' 09:00:00' }).first().waitFor();
    await page.getByRole('main').getByRole('link', { name: 'greeter' }).waitFor();

    await page.getByRole('link', { name: 'Overview' }).click();
    await eventually(async () => expect(await toDo.count()).toBe(1));
    await steps.getByRole('link', { name: 'policy', exact: true }).click();
    await newFrom('policy', 'Deny prompts with certain words');
    await submit('policy');
    await page.getByText('It applies to nothing yet, so it decides nothing.').waitFor();
    await page.getByText(/^Allowed in/).waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await page.getByRole('button', { name: 'Choose what it applies to' }).click();
    await page.getByRole('button', { name: 'Apply the policy to it' }).click();
    await page.getByText('It reaches 1 agent.').waitFor();
    await page.getByText('It applies to nothing yet').waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Jobs' }).click();
    await page.getByRole('link', { name: 'weekday report' }).click();
    await page.getByRole('button', { name: 'Trigger now' }).click();
    await page
      .getByRole('alert')
      .getByText('Denied by policy "deny words" (version 1): the prompt contains "report"')
      .waitFor();
    await page.getByRole('link', { name: 'their decision' }).click();
    await page.getByRole('row', { name: /^deny words 1 denies the prompt contains "report"/ }).waitFor();

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('such as Denied by policy "deny words"').waitFor();
    await steps.waitFor({ state: 'detached' });
  });

  async function newFrom(one: string, label: string): Promise<void> {
    await desk.page.getByRole('button', { name: `New ${one}` }).click();
    await desk.page.getByLabel('Start from').selectOption({ label });
  }

  async function submit(one: string): Promise<void> {
    const button = desk.page.getByRole('button', { name: `Create the ${one}` });
    // In sight, however long the form is.
    const box = await button.boundingBox();
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(desk.page.viewportSize()?.height ?? 0);
    await button.click();
  }
});
