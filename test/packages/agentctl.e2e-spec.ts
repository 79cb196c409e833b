import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { filesIn, installIn, packInto } from '../support/packed-packages.js';
import { Platform } from '../support/platform.js';

/** The `script` of util-linux runs a command in a pseudo-terminal. */
const hasScript = String(spawnSync('script', ['--version']).stdout).includes('util-linux');
const inTerminal = hasScript ? it : it.skip;
// oxlint-disable-next-line no-control-regex
const COLOR = /\u001b\[3\d/;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f]/;

/** A run of the installed command. */
class Run {
  stdout = '';
  stderr = '';

  constructor(private readonly process: ChildProcess) {
    process.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    process.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
  }

  type(text: string): void {
    this.process.stdin?.write(text);
  }

  interrupt(): void {
    this.process.kill('SIGINT');
  }

  /** Resolves to the exit code. */
  async end(): Promise<number> {
    this.process.stdin?.end();
    return this.exit();
  }

  async exit(): Promise<number> {
    const [code] = (await once(this.process, 'close')) as [number];
    return code;
  }
}

describe('the packed agentctl', () => {
  let platform: Platform;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'agentctl-'));
    const env = { DEFAULT_MODEL: 'development-model' };
    platform = await Platform.start({ platformApi: true, modelGateway: true, env });
    await platform.startWorker();
    const [tarball = ''] = await packInto(folder, ['apps/cli']);
    expect((await filesIn(folder, tarball)).toSorted()).toEqual(
      ['README.md', 'dist/agentctl.cjs', 'package.json'].map((file) => `package/${file}`),
    );
    await installIn(folder, [tarball]);
  });

  afterAll(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const environment = (env: Readonly<Record<string, string>>): Record<string, string> => ({
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    TERM: 'xterm',
    ...env,
  });
  const program = (): string => join(folder, 'node_modules', '.bin', 'agentctl');

  /** Starts the command with pipes. */
  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Run =>
    new Run(spawn(program(), args, { cwd: folder, env: environment(env) }));

  /** Starts the command in a pseudo-terminal, which has one stream for input and both outputs. */
  const startInTerminal = (command: string, env: Readonly<Record<string, string>> = {}): Run =>
    new Run(spawn('script', ['-qec', `${program()} ${command}`, '/dev/null'], { cwd: folder, env: environment(env) }));

  async function signIn(): Promise<void> {
    const login = start(['login', '--url', platform.url, '--key-stdin']);
    login.type(platform.adminKey);
    expect({ code: await login.end(), stderr: login.stderr }).toMatchObject({ code: 0 });
  }

  it('stores the key of a login where only its user can read it', async () => {
    await signIn();
    const stored = join(folder, '.config', 'agentctl', 'profiles.json');
    expect((statSync(stored).mode & 0o777).toString(8)).toBe('600');
  });

  it('stores nothing for a key that the platform does not accept', async () => {
    const login = start(['--profile', 'wrong', 'login', '--url', platform.url], { AGENTCTL_API_KEY: 'ak_wrong' });
    expect(await login.end()).toBe(77);
    expect(login.stderr).toContain('agentctl login');
    const list = start(['--profile', 'wrong', 'jobs', 'list']);
    expect(await list.end()).toBe(78);
    expect(list.stderr).toContain('There is no profile "wrong"');
  });

  inTerminal('asks for the key in a terminal without showing it', async () => {
    const login = startInTerminal(`--profile asked login --url ${platform.url}`);
    await eventually(() => expect(login.stdout).toContain('API key'));
    login.type(`${platform.adminKey}\r`);
    expect(await login.exit()).toBe(0);
    expect(login.stdout).toContain('Signed in');
    expect(login.stdout).not.toContain(platform.adminKey);
  });

  describe('following a run', () => {
    beforeAll(async () => {
      await signIn();
      const client = platform.client();
      const { id } = await unwrap(client.POST('/api/v1/agents', { body: { name: 'greeter' } }));
      const body = { name: 'greet', entity_type: 'agent', entity_id: id, prompt_template: 'Greet {{name}}.' };
      await unwrap(client.POST('/api/v1/jobs', { body: { ...body, trigger_type: 'manual' } }));
    });

    it('prints text without control characters into a pipe', async () => {
      const trigger = start(['jobs', 'trigger', 'greet', '--param', 'name=Ada', '--follow']);
      expect({ code: await trigger.end(), stderr: trigger.stderr }).toEqual({ code: 0, stderr: '' });
      expect(trigger.stdout).toContain('Greet Ada.');
      expect(trigger.stdout).toMatch(/\ncompleted\n$/);
      expect(trigger.stdout).not.toMatch(CONTROL);
    });

    it('prints one JSON object per event with --json', async () => {
      const trigger = start(['jobs', 'trigger', 'greet', '--param', 'name=Ada', '--follow', '--json']);
      expect(await trigger.end()).toBe(0);
      const lines = trigger.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines[0]).toMatchObject({ execution_id: expect.any(String) });
      expect(lines.at(-1)).toMatchObject({ event: 'done', data: { status: 'completed' } });
    });

    inTerminal('has colors on a terminal', async () => {
      const trigger = startInTerminal('jobs trigger greet --param name=Ada --follow');
      expect(await trigger.exit()).toBe(0);
      expect(trigger.stdout).toContain('Greet Ada.');
      expect(trigger.stdout).toContain('\u001b[32mcompleted');
    });

    inTerminal('has no colors with NO_COLOR', async () => {
      const trigger = startInTerminal('jobs trigger greet --param name=Ada --follow', { NO_COLOR: '1' });
      expect(await trigger.exit()).toBe(0);
      expect(trigger.stdout).toContain('Greet Ada.');
      expect(trigger.stdout).not.toMatch(COLOR);
    });

    it('resumes after an interruption: each event once, and the exit code tells that the run failed', async () => {
      const client = platform.client();
      const { execution_id } = await unwrap(client.POST('/api/v1/executions/create', { body: { prompt: 'Go' } }));
      const params = { path: { execution_id } };
      const publish = (step: string) =>
        unwrap(
          client.POST('/api/v1/executions/{execution_id}/events', {
            params,
            body: { event_type: 'step', data: { step } },
          }),
        );
      const tail = start(['executions', 'tail', execution_id]);
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

    it('stops at Ctrl-C and says how to go on', async () => {
      const client = platform.client();
      const { execution_id } = await unwrap(client.POST('/api/v1/executions/create', { body: { prompt: 'Go' } }));
      const tail = start(['executions', 'tail', execution_id]);
      await eventually(() => expect(tail.stdout).toContain('execution'));
      tail.interrupt();
      expect(await tail.exit()).toBe(130);
      expect(tail.stderr).toContain(`agentctl executions tail ${execution_id}`);
      const cancel = start(['executions', 'cancel', execution_id]);
      expect({ code: await cancel.end(), stdout: cancel.stdout }).toEqual({
        code: 0,
        stdout: `${execution_id} cancelled\n`,
      });
    });
  });

  it('says what is wrong and what to do, with an exit code of its own', async () => {
    await signIn();
    const cases = [
      [['executions', 'tail', 'none'], 1, 'Check the id'],
      [['jobs', 'trigger', 'unknown'], 1, 'agentctl jobs list'],
      [['jobs', 'trigger'], 64, '--help'],
      [['jobs', 'trigger', 'x', '--param', 'y'], 64, 'key=value'],
      [['wrong'], 64, 'unknown command'],
    ] as const;
    for (const [args, code, advice] of cases) {
      const failed = start(args);
      expect([args, await failed.end(), failed.stderr]).toEqual([args, code, expect.stringContaining(advice)]);
      expect(failed.stdout).toBe('');
    }
    const env = { AGENTCTL_URL: 'http://127.0.0.1:9', AGENTCTL_API_KEY: 'ak_none' };
    const unreachable = start(['jobs', 'list'], env);
    expect(await unreachable.end()).toBe(69);
    expect(unreachable.stderr).toContain('not reachable');
  });
});
