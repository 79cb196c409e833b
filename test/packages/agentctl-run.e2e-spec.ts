import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { Agentctl, hasTerminals } from '../support/agentctl.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

const inTerminal = hasTerminals ? it : it.skip;
// oxlint-disable-next-line no-control-regex
const SEQUENCES = /\u001b\[[\d?;]*[A-Za-z]/g;
const QUESTION = '[[tool ask_user {"question":"Which color?"}]]';

describe('runs without a job, by the packed agentctl', () => {
  let platform: Platform;
  let user: Scenario;
  const cli = new Agentctl();

  beforeAll(async () => {
    platform = await Platform.shared();
    await platform.startWorker();
    user = new Scenario(platform);
    await user.newAgent({ name: 'greeter', configuration: { ask_user: true } });
    await unwrap(user.client.POST('/api/v1/teams', { body: { name: 'support' } }));
    const steps = [{ name: 'say', type: 'prompt', prompt: '{{params.prompt}} for {{params.who}}' }] as const;
    await unwrap(user.client.POST('/api/v1/workflows', { body: { name: 'release', steps: [...steps] } }));
    await cli.install();
    await cli.signIn(platform);
  });

  afterAll(async () => {
    await platform.stop();
    cli.remove();
  });

  describe('run', () => {
    it('runs an agent, a team and a workflow by name, and prints what they say', async () => {
      const cases = [
        [['agent', 'greeter', '[[say Hello Ada.]]'], 'Hello Ada.'],
        [['team', 'support', '[[say We are here.]]'], 'We are here.'],
        [['workflow', 'release', '[[say All is ready]]', '-p', 'who=Ada'], 'All is ready'],
      ] as const;
      for (const [args, said] of cases) {
        const { code, stdout } = await cli.run(['run', ...args, '--follow']);
        expect({ args, code, stdout }).toEqual({ args, code: 0, stdout: expect.stringContaining(said) });
        expect(stdout).toMatch(/\ncompleted\n$/);
      }
    });

    it('reads the prompt from a file and from standard input, and prints only the id without --follow', async () => {
      const file = cli.write('prompt.txt', '[[say of a file]]\n');
      const started = await cli.run(['run', 'agent', 'greeter', '--file', file]);
      expect(started).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/), stderr: '' });
      expect(await user.waitUntilEnded(started.stdout.trim())).toMatchObject({ response: 'of a file' });
      const piped = cli.start(['run', 'agent', 'greeter', '-', '--follow']);
      piped.type('[[say of a pipe]]');
      expect(await piped.end()).toBe(0);
      expect(piped.stdout).toContain('of a pipe');
    });

    it('continues a session', async () => {
      const inSession = ['--session', 's1', '--follow'];
      await cli.run(['run', 'agent', 'greeter', '[[say Ada]]', ...inSession]);
      expect((await cli.run(['run', 'team', 'support', '[[recall]]', ...inSession])).stdout).toContain(
        'assistant: Ada',
      );
      const listed = await cli.run(['executions', 'list', '--session', 's1', '-o', 'json']);
      const names = (JSON.parse(listed.stdout) as { readonly entity_name: string }[]).map((row) => row.entity_name);
      expect(names).toEqual(['support', 'greeter']);
      expect(await cli.run(['sessions', 'rename', 's1', ''])).toEqual({
        code: 64,
        stdout: '',
        stderr: 'agentctl: <name> is empty.\n',
      });
      expect(await cli.run(['sessions', 'rename', 's1', 'Ada'])).toMatchObject({ code: 0, stdout: 's1 renamed\n' });
      expect(await cli.run(['executions', 'list', '--session', 's2'])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('There is no session "s2".'),
      });
    });

    it('says why a followed run waits', async () => {
      const queueId = await user.newQueue('unserved');
      const id = await user.execute(await user.newAgent(), 'Go', queueId);
      const tail = cli.start(['executions', 'tail', id]);
      await eventually(() =>
        expect(tail.stderr).toContain('It waits, because no live worker serves the queue unserved'),
      );
      await cli.run(['worker-queues', 'edit', queueId, '--set', 'status=paused']);
      const other = cli.start(['executions', 'tail', id]);
      await eventually(() => expect(other.stderr).toContain('It waits, because the queue unserved is paused'));
      await user.cancel(id);
      expect(await Promise.all([tail.end(), other.end()])).toEqual([3, 3]);
    });

    it('ends with 3 if the run does not complete, and with 64 if it cannot be meant so', async () => {
      const failing = await cli.run(['run', 'agent', 'greeter', '[[error 400]]', '--follow']);
      expect(failing).toMatchObject({ code: 3, stdout: expect.stringMatching(/\nfailed: /) });
      const cases = [
        [['agent', 'greeter'], 'The prompt is missing.'],
        [['agent', 'greeter', 'Go', '-p', 'a=b'], 'Only workflows have parameters.'],
        [['workflow', 'release', '--session', 's1'], 'A workflow continues no session.'],
        [['agent', 'greeter', 'Go', '--file', 'prompt.txt'], 'not both'],
        [['wish', 'x'], 'agent, team, workflow'],
      ] as const;
      for (const [args, message] of cases) {
        expect([args, await cli.run(['run', ...args])]).toEqual([
          args,
          { code: 64, stdout: '', stderr: expect.stringContaining(message) },
        ]);
      }
    });
  });

  describe('chat', () => {
    it('of a pipe: each line is a message of one session, or the answer to a question', async () => {
      const chat = cli.start(['chat', 'greeter', '--session', 'of a pipe']);
      chat.type(`[[say My name is Ada]]\n\n${QUESTION}\nBlue.\n[[recall]]\n`);
      expect({ code: await chat.end(), stderr: chat.stderr }).toEqual({
        code: 0,
        stderr: 'Continue the chat: agentctl chat greeter --session of a pipe\n',
      });
      expect(chat.stdout).toMatch(/^My name is Ada\n[^]*Which color\?[^]*ask_user answered: Blue\.[^]*My name is Ada/);
      expect(chat.stdout).not.toMatch(/\b(completed|connected|running)\n/);
    });

    it('fails or runs beside another run of its session, as --multitask says', async () => {
      const agentId = await user.newAgent({ name: 'asker', configuration: { ask_user: true } });
      const busy = await cli.run(['run', 'agent', 'asker', QUESTION, '--session', 'busy']);
      const id = busy.stdout.trim();
      await eventually(async () => expect((await user.execution(id)).status).toBe('waiting_for_input'));
      const chat = async (mode: string): Promise<unknown[]> => {
        const one = cli.start(['chat', agentId, '--session', 'busy', '--multitask', mode]);
        one.type('[[say beside]]\n');
        return [await one.end(), `${one.stdout}${one.stderr}`];
      };
      expect(await chat('reject')).toEqual([1, expect.stringContaining(id)]);
      expect(await chat('parallel')).toEqual([0, expect.stringContaining('beside')]);
      await user.cancel(id);
    });

    it('names the command that answers a question if the input ends at it', async () => {
      const chat = cli.start(['chat', 'greeter']);
      chat.type(`${QUESTION}\n`);
      expect(await chat.end()).toBe(3);
      const [, id = ''] = /agentctl executions answer (\S+) TEXT/.exec(chat.stderr) ?? [];
      expect(await user.execution(id)).toMatchObject({ status: 'waiting_for_input' });
      await user.cancel(id);
    });

    inTerminal('in a terminal: Ctrl-C cancels a run and a question, Ctrl-D ends the chat', async () => {
      const chat = cli.startInTerminal('chat greeter');
      const shown = (): string => chat.stdout.replaceAll(SEQUENCES, '');
      await eventually(() => expect(shown()).toContain('> '));
      chat.type('[[pace 300ms]] [[tokens 500]] Count.\r');
      await eventually(async () => {
        const [newest] = await unwrap(user.client.GET('/api/v1/executions', { params: { query: { limit: 1 } } }));
        expect(newest?.status).toBe('running');
      });
      chat.type('\u0003');
      await eventually(() => expect(shown()).toMatch(/cancelled[^]*> $/));
      chat.type(`${QUESTION}\r`);
      await eventually(() => expect(shown()).toMatch(/Which color\?[^]*answer> $/));
      chat.type('\u0003');
      await eventually(() => expect(shown()).toMatch(/answer> [^]*cancelled[^]*> $/));
      chat.type('[[say still here]]\r');
      await eventually(() => expect(shown()).toMatch(/still here\r?\n[^]*> $/));
      chat.type('\u0003');
      await eventually(() => expect(shown()).toContain('Ctrl-D ends the chat.\r\n'));
      chat.type('\u0004');
      expect(await chat.exit()).toBe(0);
      expect(shown()).toContain('agentctl chat greeter --session ');
    });
  });
});
