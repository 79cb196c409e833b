import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { unwrap, type ControlPlaneClient } from '@app/api-client';
import { describeConsole, type ConsoleDesk } from '../support/console-desk.js';
import { HoldingProxy } from '../support/holding-proxy.js';
import type { RunningApp } from '../support/platform.js';

/** Browsers report requests to a server that does not run as errors. */
const WITHOUT_SERVER = /net::ERR_/;

describeConsole('the page of an execution, when its server restarts', (desk) => {
  let server: RunningApp;

  beforeAll(async () => {
    server = await desk.platform.startControlPlane();
    desk.url = server.url;
  });

  it('goes on, with each event once', async () => {
    const { client } = desk.user;
    const id = await created(client);
    await desk.open(`/executions/${id}`);
    await chunk(client, id, 'one ');
    await transcriptOf(desk).getByText('one').waitFor();
    await server.process.kill('SIGKILL');
    await chunk(client, id, 'two ');
    await server.process.restart();
    await chunk(client, id, 'three');
    await transcriptOf(desk).getByText('one two three', { exact: true }).waitFor();
    await patch(client, id, { status: 'running' });
    await patch(client, id, { status: 'completed' });
    await desk.page.getByText('ended', { exact: true }).waitFor();
    await desk.page.getByRole('button', { name: 'Run again' }).waitFor();
    expect(
      await transcriptOf(desk)
        .getByText(/^assistant/)
        .count(),
    ).toBe(1);
    const { faults } = desk.visitor;
    faults.splice(0, faults.length, ...faults.filter((fault) => !WITHOUT_SERVER.test(fault)));
  });
});

describeConsole('the page of an execution, behind a proxy that holds the events back', (desk) => {
  let proxy: HoldingProxy;

  beforeAll(async () => {
    proxy = await HoldingProxy.to(desk.platform.url);
    desk.url = proxy.url;
  });
  afterAll(() => proxy?.close());

  it('shows how the run goes, and the events as soon as they arrive', async () => {
    const { client } = desk.user;
    const id = await created(client);
    proxy.hold(({ path }) => path.includes('/stream'));
    await desk.open(`/executions/${id}`);
    await desk.page.getByText(/^connecting/).waitFor();
    await chunk(client, id, 'all at once');
    await patch(client, id, { status: 'running' });
    await desk.page.getByRole('button', { name: 'Pause' }).waitFor();
    await patch(client, id, { status: 'completed' });
    await desk.page.getByRole('button', { name: 'Run again' }).waitFor();
    expect(await transcriptOf(desk).textContent()).toBe('');
    proxy.release();
    await transcriptOf(desk).getByText('all at once', { exact: true }).waitFor();
    await desk.page.getByText('ended', { exact: true }).waitFor();
  });
});

function transcriptOf({ page }: ConsoleDesk) {
  return page.getByRole('log', { name: 'Transcript' });
}

async function created(client: ControlPlaneClient): Promise<string> {
  return (await unwrap(client.POST('/api/v1/executions/create', { body: { prompt: 'Go' } }))).execution_id;
}

async function chunk(client: ControlPlaneClient, execution_id: string, content: string): Promise<void> {
  const data = { message_id: 'm', role: 'assistant', content };
  const body = { event_type: 'message_chunk', data };
  await unwrap(client.POST('/api/v1/executions/{execution_id}/events', { params: { path: { execution_id } }, body }));
}

async function patch(
  client: ControlPlaneClient,
  execution_id: string,
  body: { readonly status: 'running' | 'completed' },
) {
  await unwrap(client.PATCH('/api/v1/executions/{execution_id}', { params: { path: { execution_id } }, body }));
}
