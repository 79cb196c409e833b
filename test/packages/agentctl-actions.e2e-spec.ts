import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { Agentctl } from '../support/agentctl.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

describe('commands for single routes, by the packed agentctl', () => {
  let platform: Platform;
  let user: Scenario;
  const cli = new Agentctl();

  beforeAll(async () => {
    platform = await Platform.shared();
    await platform.startWorker();
    user = new Scenario(platform);
    const agentId = await user.newAgent({ name: 'greeter', configuration: { ask_user: true } });
    await user.newJob(agentId, { name: 'greet' });
    await cli.install();
    await cli.signIn(platform);
  });

  afterAll(async () => {
    await platform.stop();
    cli.remove();
  });

  /** Runs a command that must succeed, and returns its output. */
  async function output(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await cli.run(args);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  }

  it('answers the question of an execution, which it refuses if there is none', async () => {
    const id = (await output('run', 'agent', 'greeter', '[[tool ask_user {"question":"Which color?"}]]')).trim();
    await eventually(async () => expect((await user.execution(id)).status).toBe('waiting_for_input'));
    expect(await output('executions', 'answer', id, 'Blue.', '--follow')).toMatch(/answered: Blue\.[^]*\ncompleted\n$/);
    expect(await cli.run(['executions', 'answer', id, 'Red.'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The execution is completed: it waits for no answer.'),
    });
    expect(await output('executions', 'messages', id)).toMatch(/\S+ +user +- +Blue\.\n/);
  });

  it('pauses and resumes an execution, sends it a message, and reads its steps and files', async () => {
    const { client } = user;
    const { execution_id: id } = await unwrap(client.POST('/api/v1/executions/create', { body: { prompt: 'Go' } }));
    await unwrap(
      client.PATCH('/api/v1/executions/{execution_id}', {
        params: { path: { execution_id: id } },
        body: { status: 'running' },
      }),
    );
    expect(await output('executions', 'pause', id)).toBe(`${id} paused\n`);
    expect(await user.execution(id)).toMatchObject({ status: 'paused' });
    expect(await output('executions', 'resume', id)).toBe(`${id} resumed\n`);
    expect(await output('executions', 'message', id, 'Be brief.')).toBe(`${id} sent\n`);
    expect(await output('executions', 'messages', id)).toContain('Be brief.');
    expect(await output('executions', 'steps', id)).toMatch(/^NAME +TYPE +STATUS/);
    const stored = await fetch(`${platform.url}/api/v1/executions/${id}/files/a.txt`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${platform.adminKey}`, 'Content-Type': 'text/plain' },
      body: 'the content\n',
    });
    expect(stored.ok).toBe(true);
    expect(await output('executions', 'files', id)).toMatch(/\na\.txt +12 +text\/plain/);
    expect(await output('executions', 'files', id, 'a.txt')).toBe('the content\n');
    const to = join(cli.folder, 'copy.txt');
    expect(await cli.run(['executions', 'files', id, 'a.txt', '--to', to])).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(to, 'utf8')).toBe('the content\n');
  });

  it('disables and enables a job, previews it and its schedule, and lists its runs', async () => {
    expect(await output('jobs', 'disable', 'greet')).toBe('greet disabled\n');
    expect(await cli.run(['jobs', 'trigger', 'greet', '-p', 'prompt=Go'])).toMatchObject({ code: 1 });
    expect(await output('jobs', 'enable', 'greet')).toBe('greet enabled\n');
    expect(await output('jobs', 'preview', 'greet')).toMatch(/missing_parameters:\n +- prompt\n/);
    expect(await output('jobs', 'preview', 'greet', '-s', 'parameters.prompt=Go')).toContain('prompt: Go\n');
    expect(await output('jobs', 'schedule', '0 9 * * 1')).toMatch(/T09:00:00/);
    const id = (await output('jobs', 'trigger', 'greet', '-p', 'prompt=Go')).trim();
    expect(await output('jobs', 'runs', 'greet')).toContain(id);
    const job = 'name: on-push\ntrigger_type: webhook\nplanning_mode: on_the_fly\nprompt_template: Go\n';
    await output('jobs', 'create', '-f', cli.write('job.yaml', job));
    expect(await output('jobs', 'rotate', 'on-push')).toMatch(/^webhook_url: \S+\nwebhook_secret: \S+\n$/);
  });

  it('tests a webhook, lists and repeats its deliveries, and replaces its secret', async () => {
    const url = 'http://127.0.0.1:9/hook';
    await output('webhooks', 'create', '-s', `url=${url}`, '-s', 'events=[done]');
    await output('webhooks', 'test', url);
    const list = JSON.parse(await output('webhooks', 'deliveries', url, '-o', 'json')) as { readonly id: string }[];
    expect(list).toMatchObject([{ event_type: 'ping' }]);
    const id = list[0]?.id ?? '';
    expect(await output('webhooks', 'delivery', id)).toContain(`id: ${id}\n`);
    expect(await output('webhooks', 'replay', url, '2020-01-01T00:00:00Z')).toMatch(/\d/);
    expect(await output('webhooks', 'rotate', url)).toMatch(/^url: .*\nsecret: whsec_/);
  });

  it('changes what an agent, a team and a project have, by their names', async () => {
    await output('teams', 'create', '-s', 'name=support');
    await output('projects', 'create', '-s', 'name=website', '-s', 'key=WEB');
    await output('skills', 'create', '-s', 'name=search', '-s', 'type=custom');
    expect(await output('teams', 'add', 'support', 'greeter')).toBe('support greeter added\n');
    expect(await output('agents', 'list', '--filter', 'status=idle', '-o', 'json')).toContain('"name": "greeter"');
    expect(await output('teams', 'remove', 'support', 'greeter')).toBe('support greeter removed\n');
    expect(await output('projects', 'add-agent', 'website', 'greeter')).toBe('website greeter added\n');
    expect(await output('projects', 'agents', 'website')).toMatch(/^AGENT ID .*\n\S+/);
    expect(await output('projects', 'remove-agent', 'website', 'greeter')).toBe('website greeter removed\n');
    expect(await output('skills', 'add', 'agent', 'greeter', 'search')).toBe('agent greeter search added\n');
    expect(await output('skills', 'of', 'agent', 'greeter')).toMatch(/search +custom/);
    expect(await output('skills', 'remove', 'agent', 'greeter', 'search')).toBe('agent greeter search removed\n');
    await output('context', 'set', 'agent', 'greeter', '-s', 'resource_ids=[repository]');
    expect(await output('context', 'resolved', 'greeter')).toContain('repository');
    expect(await output('context', 'clear', 'agent', 'greeter')).toBe('agent greeter cleared\n');
  });

  it('shows totals and failures, and refuses an unknown filter', async () => {
    expect(await output('analytics', 'summary')).toMatch(/^total_executions: \d+\n/);
    expect(await output('analytics', 'failures')).toMatch(/\nfailed: \d+\n/);
    expect(await cli.run(['analytics', 'summary', '--filter', 'since=x'])).toMatchObject({ code: 64, stdout: '' });
    expect(await output('agents', 'runtimes')).toMatch(/^ID +NAME/);
    expect(await output('worker-queues', 'load')).toMatch(/^QUEUE NAME/);
  });

  it('compiles a policy that is not stored', async () => {
    const good = cli.write('good.rego', 'package guard\n\nallow if input.x\n');
    expect(await output('policies', 'validate', good)).toBe('ok compiles\n');
    const bad = cli.write('bad.rego', 'package guard\n\nx {');
    expect(await cli.run(['policies', 'validate', bad])).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^line/),
    });
  });
});
