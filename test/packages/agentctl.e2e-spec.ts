import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { Agentctl, hasTerminals } from '../support/agentctl.js';
import { Platform } from '../support/platform.js';

const inTerminal = hasTerminals ? it : it.skip;
// oxlint-disable-next-line no-control-regex
const COLOR = /\u001b\[3\d/;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f]/;

describe('the packed agentctl', () => {
  let platform: Platform;
  const cli = new Agentctl();

  beforeAll(async () => {
    const env = { DEFAULT_MODEL: 'development-model' };
    platform = await Platform.start({ platformApi: true, modelGateway: true, env });
    await platform.startWorker();
    await cli.install();
    await cli.signIn(platform);
  });

  afterAll(async () => {
    await platform.stop();
    cli.remove();
  });

  it('stores the key of a login where only its user can read it', () => {
    const stored = join(cli.folder, '.config', 'agentctl', 'profiles.json');
    expect((statSync(stored).mode & 0o777).toString(8)).toBe('600');
  });

  it('stores nothing for a key that the platform does not accept', async () => {
    const login = cli.start(['--profile', 'wrong', 'login', '--url', platform.url], { AGENTCTL_API_KEY: 'ak_wrong' });
    expect(await login.end()).toBe(77);
    expect(login.stderr).toContain('agentctl login');
    const list = cli.start(['--profile', 'wrong', 'jobs', 'list']);
    expect(await list.end()).toBe(78);
    expect(list.stderr).toContain('There is no profile "wrong"');
  });

  inTerminal('asks for the key in a terminal without showing it', async () => {
    const login = cli.startInTerminal(`login --url ${platform.url}`);
    await eventually(() => expect(login.stdout).toContain('API key'));
    login.type(`${platform.adminKey}\r`);
    expect(await login.exit()).toBe(0);
    expect(login.stdout).toContain('Signed in');
    expect(login.stdout).not.toContain(platform.adminKey);
  });

  describe('following a run', () => {
    let client: ReturnType<Platform['client']>;
    let jobId: string;

    beforeAll(async () => {
      client = platform.client();
      const { id } = await unwrap(client.POST('/api/v1/agents', { body: { name: 'greeter' } }));
      const body = { name: 'greet', entity_type: 'agent', entity_id: id, prompt_template: 'Greet {{name}}.' };
      const job = await unwrap(client.POST('/api/v1/jobs', { body: { ...body, trigger_type: 'manual' } }));
      jobId = job.id;
    });

    it('prints text without control characters into a pipe', async () => {
      const trigger = cli.start(['jobs', 'trigger', 'greet', '--param', 'name=Ada', '--follow']);
      expect({ code: await trigger.end(), stderr: trigger.stderr }).toEqual({ code: 0, stderr: '' });
      expect(trigger.stdout).toContain('Greet Ada.');
      expect(trigger.stdout).toMatch(/\ncompleted\n$/);
      expect(trigger.stdout).not.toMatch(CONTROL);
    });

    it('prints one JSON object per event with --json', async () => {
      const trigger = cli.start(['jobs', 'trigger', 'greet', '--param', 'name=Ada', '--follow', '--json']);
      expect(await trigger.end()).toBe(0);
      const lines = trigger.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines[0]).toMatchObject({ execution_id: expect.any(String) });
      expect(lines.at(-1)).toMatchObject({ event: 'done', data: { status: 'completed' } });
    });

    inTerminal('has colors on a terminal', async () => {
      const trigger = cli.startInTerminal('jobs trigger greet --param name=Ada --follow');
      expect(await trigger.exit()).toBe(0);
      expect(trigger.stdout).toContain('Greet Ada.');
      expect(trigger.stdout).toContain('\u001b[32mcompleted');
    });

    inTerminal('has no colors with NO_COLOR', async () => {
      const trigger = cli.startInTerminal('jobs trigger greet --param name=Ada --follow', { NO_COLOR: '1' });
      expect(await trigger.exit()).toBe(0);
      expect(trigger.stdout).toContain('Greet Ada.');
      expect(trigger.stdout).not.toMatch(COLOR);
    });

    it('resumes after an interruption: each event once, and the exit code of a failed run', async () => {
      const { execution_id } = await unwrap(client.POST('/api/v1/executions/create', { body: { prompt: 'Go' } }));
      const params = { path: { execution_id } };
      const publish = (step: string) =>
        unwrap(
          client.POST('/api/v1/executions/{execution_id}/events', {
            params,
            body: { event_type: 'step', data: { step } },
          }),
        );
      const tail = cli.start(['executions', 'tail', execution_id]);
      await publish('first');
      await eventually(() => expect(tail.stdout).toContain('step=first'));
      const [controlPlane] = platform.controlPlanes;
      await controlPlane?.process.kill('SIGKILL');
      await controlPlane?.process.restart();
      await publish('second');
      await unwrap(
        client.PATCH('/api/v1/executions/{execution_id}', {
          params,
          body: { status: 'failed', error_message: 'No \u001b[31mluck' },
        }),
      );
      expect(await tail.end()).toBe(3);
      expect(tail.stdout.match(/step=\w+/g)).toEqual(['step=first', 'step=second']);
      expect(tail.stdout).toMatch(/\nfailed: No \[31mluck\n$/);
    });

    it('repeats a run, and shows its timeline and its tool calls', async () => {
      const { execution_id } = await unwrap(
        client.POST('/api/v1/jobs/{job_id}/trigger', {
          params: { path: { job_id: jobId } },
          body: { parameters: { name: 'Ada' } },
        }),
      );
      const rerun = cli.start(['executions', 'rerun', execution_id]);
      expect({ code: await rerun.end(), stderr: rerun.stderr }).toEqual({ code: 0, stderr: '' });
      const [id = ''] = rerun.stdout.split(' ');
      expect(id).not.toBe(execution_id);
      expect(await cli.start(['executions', 'tail', id]).end()).toBe(0);
      const timeline = cli.start(['executions', 'timeline', id]);
      expect(await timeline.end()).toBe(0);
      expect(timeline.stdout).toMatch(/pending .*\n.*running .*\n.*completed /s);
      await unwrap(
        client.POST('/api/v1/analytics/batch', {
          body: { execution_id: id, tool_calls: [{ id: 'call-1', tool_name: 'read_page', status: 'success' }] },
        }),
      );
      const calls = cli.start(['executions', 'tool-calls', id]);
      expect(await calls.end()).toBe(0);
      expect(calls.stdout).toMatch(/read_page .*success/);
    });

    inTerminal('has a spinner on a terminal while it waits', async () => {
      const { execution_id: id } = await unwrap(client.POST('/api/v1/executions/create', { body: { prompt: 'Go' } }));
      const tail = cli.startInTerminal(`executions tail ${id}`);
      await eventually(() => expect(new Set(tail.stdout.match(/[⠋⠙⠹⠸⠼]/g)).size).toBeGreaterThan(1));
      await cli.run(['executions', 'cancel', id]);
      expect(await tail.exit()).toBe(3);
      expect(tail.stdout).toMatch(/waiting for events.*cancelled.*\u001B\[0K$/s);
    });

    it('stops at Ctrl-C and prints the command that continues', async () => {
      const { execution_id } = await unwrap(client.POST('/api/v1/executions/create', { body: { prompt: 'Go' } }));
      const tail = cli.start(['executions', 'tail', execution_id]);
      await eventually(() => expect(tail.stdout).toContain('execution'));
      tail.interrupt();
      expect(await tail.exit()).toBe(130);
      expect(tail.stderr).toContain(`agentctl executions tail ${execution_id}`);
      const cancel = cli.start(['executions', 'cancel', execution_id]);
      expect({ code: await cancel.end(), stdout: cancel.stdout }).toEqual({
        code: 0,
        stdout: `${execution_id} cancelled\n`,
      });
    });
  });

  describe('resources', () => {
    const RESOURCES = `
kind: secret
name: TOKEN
value: !env TOKEN
---
kind: agent
name: librarian
environment_ids: [!ref environment/default]
---
kind: team
name: readers
configuration: { instructions: Read. }
execution_environment: { env_vars: { A: b } }
---
kind: job
name: read
trigger_type: manual
entity_type: agent
entity_id: !ref agent/librarian
prompt_template: Read {{title}}.
config: { timeout_seconds: 60 }
---
kind: worker-queue
name: slow
environment_id: !ref environment/default
max_workers: 1
---
kind: policy
name: no-secrets
policy_content: |
  package guard

  violations contains "no secrets" if contains(input.execution.prompt, "password")
---
kind: policy-association
policy_id: !ref policy/no-secrets
entity_type: agent
entity_id: !ref agent/librarian
---
kind: webhook
url: http://127.0.0.1:9/hook
events: [done]
---
kind: user
name: Ada
email: ada@example.com
`;

    it('of a file are created and updated after their differences are shown, and only once', async () => {
      const env = { TOKEN: 'value-of-the-token' };
      const file = cli.write('resources.yaml', RESOURCES);
      const planned = await cli.run(['apply', '-f', file, '--dry-run'], env);
      expect(planned).toMatchObject({ code: 3, stdout: expect.stringContaining('entity_id: (id of agent/librarian)') });
      expect(await cli.run(['apply', '-f', file], env)).toMatchObject({ code: 64, stdout: planned.stdout });
      const applied = await cli.run(['apply', '-f', file, '--yes'], env);
      expect(applied).toMatchObject({ code: 0, stderr: '' });
      expect(applied.stdout.match(/ created$/gm)).toHaveLength(9);
      expect(applied.stdout).toMatch(/webhook\/http:\/\/127.0.0.1:9\/hook created\n {2}secret: \S+/);
      expect(planned.stdout + applied.stdout).not.toContain(env.TOKEN);
      const again = await cli.run(['apply', '-f', file, '--dry-run'], env);
      expect(again.stdout.match(/^ {2}\S+ unchanged$/gm)).toHaveLength(8);
      expect(again.stdout).toContain('  secret/TOKEN exists (its value');
      const rewritten = await cli.run(['apply', '-f', file, '--dry-run', '--rewrite-secrets'], env);
      expect(rewritten.stdout).toMatch(/^~ secret\/TOKEN\n {2}\+ value: \(not shown\)\n/);

      const changed = cli.write('changed.yaml', RESOURCES.replace('max_workers: 1', 'max_workers: 2'));
      expect(await cli.run(['apply', '-f', changed, '--yes'], env)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('~ worker-queue/slow,default\n  - max_workers: 1\n  + max_workers: 2\n'),
      });
      const queue = await cli.run(['worker-queues', 'get', 'slow', '-o', 'json']);
      expect(JSON.parse(queue.stdout)).toMatchObject({ name: 'slow', max_workers: 2 });
    });

    inTerminal('of a file are changed only after a confirmation in the terminal', async () => {
      const file = cli.write('skill.yaml', 'kind: skill\nname: search\n');
      for (const [answer, code, state] of [
        ['n', 1, 'Nothing was changed'],
        ['y', 0, 'skill/search created'],
      ] as const) {
        const apply = cli.startInTerminal(`apply -f ${file}`);
        await eventually(() => expect(apply.stdout).toContain('[y/N]'));
        apply.type(`${answer}\r`);
        expect([answer, await apply.exit(), apply.stdout]).toEqual([answer, code, expect.stringContaining(state)]);
      }
    });

    it('that fail name themselves and what is wrong', async () => {
      const file = cli.write(
        'wrong.yaml',
        'kind: environment\nname: staging\n---\nkind: worker-queue\nname: x\nenvironment_id: y',
      );
      expect(await cli.run(['apply', '-f', file, '--yes'])).toMatchObject({
        code: expect.any(Number),
        stdout: expect.stringContaining('environment/staging created'),
        stderr: expect.stringContaining('agentctl: worker-queue/x,y: '),
      });
      const unknown = await cli.run(['apply', '-f', cli.write('unknown.yaml', 'kind: wish\nname: x')]);
      expect(unknown).toMatchObject({ code: 65, stderr: expect.stringContaining('"wish"') });
    });

    inTerminal('are changed in an editor, unless others changed them meanwhile', async () => {
      await cli.run(['agents', 'create', '--set', 'name=edited', '--set', 'description=before']);
      const edit = cli.startInTerminal('agents edit edited', { EDITOR: 'sed -i s/before/after/' });
      expect([await edit.exit(), edit.stdout]).toEqual([0, expect.stringContaining('description: after')]);
      const EDITOR = `${cli.program} agents edit edited -s description=theirs && sed -i s/after/mine/`;
      const late = cli.startInTerminal('agents edit edited', { EDITOR });
      expect([await late.exit(), late.stdout]).toEqual([1, expect.stringMatching(/meanwhile[^]*description: mine/)]);
    });

    it('are changed by --set and from standard input, and deleted, by name', async () => {
      await cli.run(['agents', 'create', '--set', 'name=temporary', '--set', 'llm_config.temperature=0.5']);
      const edited = cli.start(['agents', 'edit', 'temporary', '-f', '-', '-s', 'description=two words', '-o', 'json']);
      edited.type('{"system_prompt": "Be brief."}');
      expect(await edited.end()).toBe(0);
      expect(JSON.parse(edited.stdout)).toMatchObject({
        name: 'temporary',
        description: 'two words',
        system_prompt: 'Be brief.',
        llm_config: { temperature: 0.5 },
      });
      expect(await cli.run(['agents', 'delete', 'temporary'])).toMatchObject({ stdout: 'agent/temporary deleted\n' });
      expect(await cli.run(['agents', 'get', 'temporary'])).toMatchObject({ code: 1, stdout: '' });
    });

    it('are listed as a table, as JSON and as YAML', async () => {
      expect((await cli.run(['workers', 'list'])).stdout).toMatch(/^ID +STATUS +QUEUE NAME .*\n\S+ +\w+ +default /);
      const json = async (...args: readonly string[]): Promise<unknown> =>
        JSON.parse((await cli.run([...args, '-o', 'json'])).stdout);
      expect(await json('environments', 'list', '--limit', '1')).toHaveLength(1);
      expect(await json('workers', 'list', '--filter', 'runner_name=none')).toEqual([]);
      expect((await cli.run(['environments', 'list', '-o', 'yaml'])).stdout).toMatch(/^- id: \S+\n/);
    });

    it('keys: one is printed alone, works, is rotated and revoked', async () => {
      const [url, platformUrl] = [platform.url, platform.platformApi?.url ?? ''];
      const created = await cli.run(['keys', 'create', 'ci', '--scopes', 'agents:read', '--user', 'admin']);
      expect(created).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no user') });
      const minted = await cli.run(['keys', 'create', 'ci', '--scopes', 'agents:read']);
      expect(minted.stdout).toMatch(/^ak_\w+\n$/);
      const env = (key: string) => ({
        AGENTCTL_URL: url,
        AGENTCTL_PLATFORM_API_URL: platformUrl,
        AGENTCTL_API_KEY: key,
      });
      const mine = env(minted.stdout.trim());
      expect(await cli.run(['agents', 'list'], mine)).toMatchObject({ code: 0 });
      const refused = await cli.run(['keys', 'list'], mine);
      expect(refused).toMatchObject({ code: 77, stderr: expect.stringContaining('admin') });
      const successor = await cli.run(['keys', 'rotate', 'ci', '--overlap', '0', '-o', 'json']);
      const { id, key } = JSON.parse(successor.stdout) as { readonly id: string; readonly key: string };
      expect(await cli.run(['agents', 'list'], env(key))).toMatchObject({ code: 0 });
      expect(await cli.run(['keys', 'revoke', id])).toMatchObject({ code: 0, stdout: `key/${id} revoked\n` });
      // Revoked keys are refused within a second.
      await eventually(async () => expect(await cli.run(['agents', 'list'], env(key))).toMatchObject({ code: 77 }));
    });

    it('policies: verdicts and tests are exit codes', async () => {
      await cli.run(['environments', 'create', '--set', 'name=guarded']);
      const source = 'package guard\n\nviolations contains "no" if input.word == "secret"\n';
      const policy = cli.write('policy.yaml', `name: guard\npolicy_content: ${JSON.stringify(source)}\n`);
      expect(await cli.run(['policies', 'create', '-f', policy])).toMatchObject({ code: 0 });
      const association = `
kind: policy-association
policy_id: !ref policy/guard
entity_type: environment
entity_id: !ref environment/guarded
`;
      await cli.run(['apply', '--yes', '-f', cli.write('association.yaml', association)]);
      const evaluate = ['policies', 'eval', 'environment', 'guarded', '-i'];
      const denied = await cli.run([...evaluate, cli.write('secret.json', '{"word": "secret"}')]);
      expect(denied).toMatchObject({ code: 3, stdout: 'denied\n  no\n' });
      const allowed = await cli.run([...evaluate, cli.write('word.json', '{"word": "x"}')]);
      expect(allowed).toMatchObject({ code: 0, stdout: 'allowed\n' });
      const right = cli.write(
        'right.yaml',
        'name: a word\ninput: {word: secret}\nallowed: false\nviolations: ["no"]\n',
      );
      const wrong = cli.write('wrong-case.yaml', 'input: {word: secret}\nallowed: true\n');
      const test = ['policies', 'test', 'guard'];
      expect(await cli.run([...test, '--cases', right])).toMatchObject({ code: 0, stdout: 'ok compiles\nok a word\n' });
      expect(await cli.run([...test, '--cases', wrong])).toMatchObject({
        code: 3,
        stdout: 'ok compiles\nnot ok case 1\n  expected allowed: true, got false\n',
      });
      expect(await cli.run([...test, '--file', cli.write('bad.rego', 'package guard\n\nx {')])).toMatchObject({
        code: 3,
        stdout: expect.stringMatching(/^line \d+, column \d+: /),
      });
    });

    it('health, profiles and the key in use are shown', async () => {
      const health = await cli.run(['health']);
      expect(health).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/control plane: postgres +up[^]*platform API +ok/),
      });
      expect(JSON.parse((await cli.run(['whoami', '-o', 'json'])).stdout)).toMatchObject({ scopes: ['admin'] });
      const { stdout } = await cli.run(['profiles', 'list']);
      expect(stdout).toMatch(/default +true +http/);
      expect(stdout).not.toContain(platform.adminKey);
    });
  });

  it('reports the fault and a remedy, with a specific exit code', async () => {
    const cases = [
      [['executions', 'tail', 'none'], 1, 'Check the id'],
      [['jobs', 'trigger', 'unknown'], 1, 'agentctl jobs list'],
      [['jobs', 'trigger'], 64, '--help'],
      [['jobs', 'trigger', 'x', '--param', 'y'], 64, 'key=value'],
      [['wrong'], 64, 'unknown command'],
    ] as const;
    for (const [args, code, advice] of cases) {
      const failed = cli.start(args);
      expect([args, await failed.end(), failed.stderr]).toEqual([args, code, expect.stringContaining(advice)]);
      expect(failed.stdout).toBe('');
    }
    const env = { AGENTCTL_URL: 'http://127.0.0.1:9', AGENTCTL_API_KEY: 'ak_none' };
    const unreachable = cli.start(['jobs', 'list'], env);
    expect(await unreachable.end()).toBe(69);
    expect(unreachable.stderr).toContain('not reachable');
  });
});
