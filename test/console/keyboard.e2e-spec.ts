import { expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { describeConsole } from '../support/console-desk.js';

describeConsole('the keys of the console', (desk) => {
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await desk.page.keyboard.press(key);
  };
  const focused = () => desk.page.locator(':focus');

  it('walk through pages, lists and an execution', async () => {
    const ids: string[] = [];
    for (const prompt of ['one', 'two', 'three']) {
      ids.unshift(
        (await unwrap(desk.user.client.POST('/api/v1/executions/create', { body: { prompt } }))).execution_id,
      );
    }
    await desk.open('/agents');
    await desk.page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await press('g', 'e');
    await desk.page.getByRole('heading', { name: 'Executions', level: 1 }).waitFor();
    await desk.page.getByRole('row').nth(3).waitFor();
    await press('/');
    expect(await focused().getAttribute('aria-pressed')).toBe('false');
    await press('j', 'j', 'x');
    await desk.page.getByRole('button', { name: 'Cancel these 1' }).waitFor();
    await press('j', 'k', 'Enter');
    await desk.page.waitForURL(`**/console/executions/${ids[1] ?? ''}`);
    await press(']');
    await desk.page.waitForURL(`**/console/executions/${ids[2] ?? ''}`);
    await press('[', '[');
    await desk.page.waitForURL(`**/console/executions/${ids[0] ?? ''}`);
    await press('Escape');
    await desk.page.waitForURL('**/console/executions');
    await press('Escape');
    await desk.page.getByRole('row').nth(3).waitFor();
    await press('j', 'Enter');
    await desk.page.getByRole('tab', { name: 'Tool calls' }).waitFor();
    await press('2');
    await desk.page.getByRole('tab', { name: 'Tool calls', selected: true }).waitFor();
    await press('1');
    await desk.page.getByRole('tab', { name: 'Transcript', selected: true }).waitFor();
    await press('f');
    await desk.page.getByRole('button', { name: 'Follow', pressed: true }).waitFor();
    await press('c');
    const question = desk.page.getByRole('dialog', { name: 'Cancel this execution?' });
    await question.waitFor();
    await press('g', 'a', 'c', 'Escape');
    await question.waitFor({ state: 'detached' });
    await press('m', 'g', 'a');
    expect(await desk.page.getByRole('textbox', { name: 'Message to the run' }).inputValue()).toBe('ga');
    await press('Escape');
    expect(desk.page.url()).toContain(ids[0]);
    const execution = await unwrap(
      desk.user.client.GET('/api/v1/executions/{execution_id}', { params: { path: { execution_id: ids[0] ?? '' } } }),
    );
    expect(execution.status).toBe('pending');
  });

  it('are shown by one of them, and can be turned off', async () => {
    await desk.open('/agents');
    await desk.page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await press('?');
    const list = desk.page.getByRole('dialog', { name: 'Keys' });
    await list.getByText('To the page Worker queues').waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await list.getByRole('checkbox', { name: 'Keys without Ctrl are on' }).uncheck();
    await press('Escape');
    await list.waitFor({ state: 'detached' });
    await press('g', 'e', '?', 'Control+k');
    await desk.page.getByRole('dialog', { name: 'Find' }).waitFor();
    expect(await list.count()).toBe(0);
    await press('Escape');
    await desk.page.reload();
    await desk.page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await desk.page.getByRole('button', { name: 'Keys' }).click();
    await list.getByRole('checkbox', { name: 'Keys without Ctrl are on', checked: false }).check();
    await press('Escape');
    await list.waitFor({ state: 'detached' });
    await press('g', 'e');
    await desk.page.getByRole('heading', { name: 'Executions', level: 1 }).waitFor();
  });
});
