import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import type { Browser, Page, Request } from 'playwright-core';
import { findProgram } from '../../tools/provision/programs.js';
import { startBrowser } from '../support/browser.js';
import { call } from '../support/http.js';
import { ConsoleVisitor } from '../support/console-visitor.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

const chromium = findProgram('chromium');
const inBrowser = chromium === undefined ? describe.skip : describe;
/** What a model may write: none of it may become an element, a request or a direction of the text around it. */
const HOSTILE = [
  '<script>document.title = "taken"</script>',
  '<img src="https://evil.example/x.png" onerror="document.title = 1">',
  '![](https://evil.example/secret)',
  '[link](javascript:alert(1))',
  '\u202Ereversed',
  'x'.repeat(100_000),
].join('\n');

inBrowser('the pages of the executions', () => {
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

  const created = async (fields: { readonly prompt?: string } = {}): Promise<string> => {
    const body = { prompt: 'Go', ...fields };
    return (await unwrap(user.client.POST('/api/v1/executions/create', { body }))).execution_id;
  };
  const pathOf = (id: string) => ({ params: { path: { execution_id: id } } });
  const publish = (id: string, event_type: string, data: Record<string, unknown>): Promise<unknown> =>
    unwrap(user.client.POST('/api/v1/executions/{execution_id}/events', { ...pathOf(id), body: { event_type, data } }));
  const patch = (id: string, body: Record<string, unknown>): Promise<unknown> =>
    unwrap(user.client.PATCH('/api/v1/executions/{execution_id}', { ...pathOf(id), body }));
  const transcript = () => page.getByRole('log', { name: 'Transcript' });

  it('show a run while it is written, and its end, without being asked again', async () => {
    const id = await created();
    await visitor.open(`/executions/${id}`);
    await visitor.signIn(platform.adminKey);
    await page.getByText('pending', { exact: true }).first().waitFor();
    await patch(id, { status: 'running' });
    await publish(id, 'tool_started', { tool_execution_id: 't', tool_name: 'search', tool_arguments: { q: 'Ada' } });
    await publish(id, 'message_chunk', { message_id: 'm', role: 'assistant', content: 'Hel' });
    await transcript().getByText('Hel', { exact: true }).waitFor();
    await publish(id, 'message_chunk', { message_id: 'm', role: 'assistant', content: 'lo' });
    await transcript().getByText('Hello', { exact: true }).waitFor();
    await publish(id, 'tool_completed', { tool_execution_id: 't', tool_name: 'search', tool_output: '5' });
    await transcript().getByText('success').waitFor();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await patch(id, { status: 'completed', response: 'Hello' });
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    await page.getByText('ended', { exact: true }).waitFor();
    expect(await page.title()).toContain('completed');
    expect(await visitor.accessibilityFaults()).toEqual([]);
  });

  it('show what a model wrote as text, whatever it is', async () => {
    const id = await created({ prompt: HOSTILE });
    await publish(id, 'message_chunk', { message_id: 'm', role: 'assistant', content: HOSTILE });
    await publish(id, 'tool_completed', {
      tool_execution_id: 't',
      tool_name: HOSTILE.slice(0, 200),
      tool_output: HOSTILE,
    });
    await publish(id, 'own_event', { text: HOSTILE });
    await visitor.open(`/executions/${id}`);
    await visitor.signIn(platform.adminKey);
    await transcript().getByText('own_event').waitFor();
    expect(await transcript().locator('img, script, a, iframe').count()).toBe(0);
    expect(await transcript().textContent()).toContain('<script>document.title = "taken"</script>');
    expect(await page.title()).not.toContain('taken');
  });

  it('list the newest first, with filters in the address that another browser understands', async () => {
    const failed = await created();
    await patch(failed, { status: 'running' });
    await patch(failed, { status: 'failed', error_message: 'The model is not available' });
    await created();
    await visitor.open('/executions');
    await visitor.signIn(platform.adminKey);
    await page.getByRole('cell', { name: 'The model is not available' }).waitFor();
    expect(await page.getByRole('row').nth(1).textContent()).toContain('pending');
    expect(await visitor.accessibilityFaults()).toEqual([]);
    await page.getByRole('button', { name: 'failed' }).click();
    await eventually(async () => expect(await page.getByRole('row').count()).toBe(2));
    expect(page.url()).toBe(`${platform.url}/console/executions?status=failed`);
    await page.reload();
    await eventually(async () => expect(await page.getByRole('row').count()).toBe(2));
    await page.goBack();
    await eventually(async () => expect(await page.getByRole('row').count()).toBeGreaterThan(2));
    await visitor.open('/executions?status=terminated');
    await page.getByText('No execution matches these filters.').waitFor();
  });

  it('end the session if the key is revoked while a run is followed', async () => {
    const keys = `${platform.platformApi?.url ?? ''}/api/v1/auth/keys`;
    const admin = { scheme: 'UserKey', key: platform.adminKey };
    const minted = await call('POST', keys, { ...admin, body: { name: 'short', scopes: ['tasks:read'] } });
    const { id: keyId, key } = minted.body as { readonly id: string; readonly key: string };
    await visitor.open(`/executions/${await created()}`);
    await visitor.signIn(key);
    await page.getByRole('status').getByText('live').waitFor();
    expect((await call('DELETE', `${keys}/${keyId}`, admin)).status).toBe(204);
    await page.getByText('The key was revoked or has expired.').waitFor();
  });

  it('close the stream while nobody sees the tab, and go on where they were', async () => {
    const id = await created();
    await visitor.open(`/executions/${id}`);
    await visitor.signIn(platform.adminKey);
    const chunk = (content: string) => publish(id, 'message_chunk', { message_id: 'm', role: 'assistant', content });
    await chunk('one ');
    await transcript().getByText('one').waitFor();
    const isStream = (request: Request): boolean => request.url().includes(`/executions/${id}/stream`);
    const closed = page.waitForEvent('requestfailed', isStream);
    await visitor.setVisible(false);
    await closed;
    await chunk('two ');
    const opened = page.waitForRequest(isStream);
    await visitor.setVisible(true);
    await opened;
    await chunk('three');
    await transcript().getByText('one two three', { exact: true }).waitFor();
  });

  it('answer the question of a run', async () => {
    const id = await created();
    await patch(id, { status: 'running' });
    await patch(id, { status: 'waiting_for_input' });
    await visitor.open(`/executions/${id}`);
    await visitor.signIn(platform.adminKey);
    await page.getByLabel('Answer').fill('Blue');
    await page.getByRole('button', { name: 'Send' }).click();
    await transcript().getByText('Blue').waitFor();
  });

  it('cancel a run after a question, and repeat it', async () => {
    const params = { path: { agent_id: await user.newAgent({ name: 'greeter' }) } };
    const started = await unwrap(
      user.client.POST('/api/v1/agents/{agent_id}/execute', { params, body: { prompt: 'Hello' } }),
    );
    await visitor.open(`/executions/${started.execution_id}`);
    await visitor.signIn(platform.adminKey);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(await visitor.accessibilityFaults()).toEqual([]);
    await page.getByRole('button', { name: 'Cancel the execution' }).click();
    await page.getByRole('button', { name: 'Run again' }).click();
    await eventually(() => expect(page.url()).not.toContain(started.execution_id));
    await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor();
  });

  it('say that there is no such execution', async () => {
    await visitor.open('/executions/0190d1c0-0000-7000-8000-000000000000');
    await visitor.signIn(platform.adminKey);
    await page.getByText('Not in this organization, or deleted (404)').waitFor();
  });
});
