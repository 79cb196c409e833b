import { expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import type { Request } from 'playwright-core';
import { call } from '../support/http.js';
import { describeConsole } from '../support/console-desk.js';

/** What a model may write: none of it may become an element, a request or a direction of the text around it. */
const HOSTILE = [
  '<script>document.title = "taken"</script>',
  '<img src="https://evil.example/x.png" onerror="document.title = 1">',
  '![](https://evil.example/secret)',
  '[link](javascript:alert(1))',
  '\u202Ereversed',
  'x'.repeat(100_000),
].join('\n');

describeConsole('the pages of the executions', (desk) => {
  const created = async (fields: { readonly prompt?: string } = {}): Promise<string> => {
    const body = { prompt: 'Go', ...fields };
    return (await unwrap(desk.user.client.POST('/api/v1/executions/create', { body }))).execution_id;
  };
  const pathOf = (id: string) => ({ params: { path: { execution_id: id } } });
  const publish = (id: string, event_type: string, data: Record<string, unknown>): Promise<unknown> =>
    unwrap(
      desk.user.client.POST('/api/v1/executions/{execution_id}/events', { ...pathOf(id), body: { event_type, data } }),
    );
  const patch = (id: string, body: Record<string, unknown>): Promise<unknown> =>
    unwrap(desk.user.client.PATCH('/api/v1/executions/{execution_id}', { ...pathOf(id), body }));
  const transcript = () => desk.page.getByRole('log', { name: 'Transcript' });

  it('show a run while it is written, and its end, without being asked again', async () => {
    const id = await created();
    await desk.open(`/executions/${id}`);
    await desk.page.getByText('pending', { exact: true }).first().waitFor();
    await patch(id, { status: 'running' });
    await publish(id, 'tool_started', { tool_execution_id: 't', tool_name: 'search', tool_arguments: { q: 'Ada' } });
    await publish(id, 'message_chunk', { message_id: 'm', role: 'assistant', content: 'Hel' });
    await transcript().getByText('Hel', { exact: true }).waitFor();
    await publish(id, 'message_chunk', { message_id: 'm', role: 'assistant', content: 'lo' });
    await transcript().getByText('Hello', { exact: true }).waitFor();
    await publish(id, 'tool_completed', { tool_execution_id: 't', tool_name: 'search', tool_output: '5' });
    await transcript().getByText('success').waitFor();
    await desk.page.getByRole('button', { name: 'Pause' }).waitFor();
    await patch(id, { status: 'completed', response: 'Hello' });
    await desk.page.getByRole('button', { name: 'Run again' }).waitFor();
    await desk.page.getByText('ended', { exact: true }).waitFor();
    expect(await desk.page.title()).toContain('completed');
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
  });

  it('show the record of a run in parts, each with an address of its own', async () => {
    const id = await created({ prompt: HOSTILE });
    await patch(id, { status: 'running' });
    const tool = { id: 't', tool_name: 'search', arguments: { q: HOSTILE }, output: HOSTILE, status: 'success' };
    await unwrap(desk.user.client.POST('/api/v1/analytics/batch', { body: { execution_id: id, tool_calls: [tool] } }));
    const saved = await call('PUT', `${desk.url}/api/v1/executions/${id}/files/notes%2Fday.txt`, {
      key: desk.platform.adminKey,
      headers: { 'Content-Type': 'text/plain' },
      raw: 'the notes',
    });
    expect(saved.status).toBe(200);
    await patch(id, { status: 'completed' });
    await desk.open(`/executions/${id}`);
    await desk.page.getByRole('tab', { name: 'Tool calls' }).click();
    await desk.page
      .getByRole('row', { name: /^search/ })
      .getByText('Show')
      .click();
    expect(await desk.page.getByRole('figure', { name: 'Output' }).textContent()).toContain('<script>');
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('tab', { name: 'Files' }).click();
    const download = desk.page.waitForEvent('download');
    await desk.page.getByRole('button', { name: 'Download notes/day.txt' }).click();
    expect((await download).suggestedFilename()).toBe('day.txt');
    await desk.page.reload();
    await desk.page.getByRole('tab', { name: 'Files', selected: true }).waitFor();
    await desk.page.getByRole('tab', { name: 'Input' }).click();
    expect(await desk.page.getByRole('figure', { name: 'Prompt', exact: true }).textContent()).toBe(HOSTILE);
    await desk.page.getByRole('tab', { name: 'Tasks' }).click();
    await desk.page.getByText('The worker reported no tasks.').waitFor();
    await desk.page.getByRole('tab', { name: 'Started by it' }).click();
    await desk.page.getByText('It started no execution.').waitFor();
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
    await desk.open(`/executions/${id}`);
    await transcript().getByText('own_event').waitFor();
    expect(await transcript().locator('img, script, a, iframe').count()).toBe(0);
    expect(await transcript().textContent()).toContain('<script>document.title = "taken"</script>');
    expect(await desk.page.title()).not.toContain('taken');
  });

  it('list the newest first, with filters in the address that another browser understands', async () => {
    const failed = await created();
    await patch(failed, { status: 'running' });
    await patch(failed, { status: 'failed', error_message: 'The model is not available' });
    await created();
    await desk.open('/executions');
    await desk.page.getByRole('cell', { name: 'The model is not available' }).waitFor();
    expect(await desk.page.getByRole('row').nth(1).textContent()).toContain('pending');
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('button', { name: 'failed' }).click();
    await eventually(async () => expect(await desk.page.getByRole('row').count()).toBe(2));
    expect(desk.page.url()).toBe(`${desk.platform.url}/console/executions?status=failed`);
    await desk.page.reload();
    await eventually(async () => expect(await desk.page.getByRole('row').count()).toBe(2));
    await desk.page.goBack();
    await eventually(async () => expect(await desk.page.getByRole('row').count()).toBeGreaterThan(2));
    await desk.visitor.open('/executions?status=terminated');
    await desk.page.getByText('No execution matches these filters.').waitFor();
  });

  it('end the session if the key is revoked while a run is followed', async () => {
    const keys = `${desk.platform.platformApi?.url ?? ''}/api/v1/auth/keys`;
    const admin = { scheme: 'UserKey', key: desk.platform.adminKey };
    const minted = await call('POST', keys, { ...admin, body: { name: 'short', scopes: ['tasks:read'] } });
    const { id: keyId, key } = minted.body as { readonly id: string; readonly key: string };
    await desk.visitor.open(`/executions/${await created()}`);
    await desk.visitor.signIn(key);
    await desk.page.getByRole('status').getByText('live').waitFor();
    expect((await call('DELETE', `${keys}/${keyId}`, admin)).status).toBe(204);
    await desk.page.getByText('The key was revoked or has expired.').waitFor();
  });

  it('close the stream while nobody sees the tab, and go on where they were', async () => {
    const id = await created();
    await desk.open(`/executions/${id}`);
    const chunk = (content: string) => publish(id, 'message_chunk', { message_id: 'm', role: 'assistant', content });
    await chunk('one ');
    await transcript().getByText('one').waitFor();
    const isStream = (request: Request): boolean => request.url().includes(`/executions/${id}/stream`);
    const closed = desk.page.waitForEvent('requestfailed', isStream);
    await desk.visitor.setVisible(false);
    await closed;
    await chunk('two ');
    const opened = desk.page.waitForRequest(isStream);
    await desk.visitor.setVisible(true);
    await opened;
    await chunk('three');
    await transcript().getByText('one two three', { exact: true }).waitFor();
  });

  it('answer the question of a run', async () => {
    const id = await created();
    await patch(id, { status: 'running' });
    await patch(id, { status: 'waiting_for_input' });
    await desk.open(`/executions/${id}`);
    await desk.page.getByLabel('Answer').fill('Blue');
    await desk.page.getByRole('button', { name: 'Send' }).click();
    await transcript().getByText('Blue').waitFor();
  });

  it('cancel a run after a question, and repeat it', async () => {
    const params = { path: { agent_id: await desk.user.newAgent({ name: 'greeter' }) } };
    const started = await unwrap(
      desk.user.client.POST('/api/v1/agents/{agent_id}/execute', { params, body: { prompt: 'Hello' } }),
    );
    await desk.open(`/executions/${started.execution_id}`);
    await desk.page.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('button', { name: 'Cancel the execution' }).click();
    await desk.page.getByRole('button', { name: 'Run again' }).click();
    await eventually(() => expect(desk.page.url()).not.toContain(started.execution_id));
    await desk.page.getByRole('button', { name: 'Cancel', exact: true }).waitFor();
  });

  it('lead to the executions of a session, and name the commands for it', async () => {
    const session_id = 'ada $(id)';
    const path = { agent_id: await desk.user.newAgent({ name: 'talker' }) };
    const body = { prompt: 'Go', session_id };
    const { execution_id } = await unwrap(
      desk.user.client.POST('/api/v1/agents/{agent_id}/execute', { params: { path }, body }),
    );
    await desk.open(`/executions/${execution_id}`);
    await desk.page.getByRole('link', { name: session_id }).click();
    const command = desk.page.getByRole('textbox', { name: 'Its messages', exact: true });
    expect(await command.inputValue()).toBe("agentctl sessions messages 'ada $(id)'");
    await desk.page.getByRole('link', { name: 'talker' }).waitFor();
  });

  it('say that there is no such execution', async () => {
    await desk.open('/executions/0190d1c0-0000-7000-8000-000000000000');
    await desk.page.getByText('Not in this organization, or deleted (404)').waitFor();
  });
});
