import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { CommandContext } from './context.js';
import { createProgram } from './program.js';
import { Terminal } from './terminal.js';

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help;
}

function* commandsOf(command: Command, path: readonly string[] = []): Generator<[string, Command]> {
  yield [path.join(' '), command];
  // The command for the shell's completion is hidden.
  for (const child of command.commands.filter((child) => !child.name().startsWith('_')))
    yield* commandsOf(child, [...path, child.name()]);
}

describe('the help', () => {
  const terminal = new Terminal({ HOME: '/home/ada' }, process);
  let program: Command;

  beforeAll(async () => {
    program = await createProgram(new CommandContext(terminal));
  });

  it('of every command has a description and examples of the command', () => {
    const commands = [...commandsOf(program)];
    expect(commands.map(([path]) => path)).toEqual(
      expect.arrayContaining(['', 'login', 'jobs trigger', 'keys rotate']),
    );
    for (const [path, command] of commands) {
      const examples = helpOf(command).split('Examples:')[1] ?? '';
      expect([path, command.description(), examples]).toEqual([
        path,
        expect.stringMatching(/./),
        expect.stringContaining(`$ agentctl ${path}`),
      ]);
    }
  });

  it('states the exit codes', () => {
    expect(helpOf(program)).toMatch(/Exit codes:[\s\S]* 130 /);
  });
});

describe('a run', () => {
  it('loads the commands that its arguments name', async () => {
    const context = new CommandContext(new Terminal({ HOME: '/home/ada' }, process));
    const program = await createProgram(context, ['--profile', 'staging', 'jobs', 'list']);
    const subcommands = program.commands.flatMap((command) =>
      command.commands.length === 0 ? [] : [[command.name(), command.commands.map((child) => child.name())]],
    );
    expect(subcommands).toEqual([['jobs', expect.arrayContaining(['list', 'delete', 'trigger', 'enable'])]]);
  });

  it('refuses an empty name, as a shell passes an unset variable', async () => {
    const context = new CommandContext(new Terminal({ HOME: '/home/ada' }, process));
    const program = await createProgram(context, ['agents', 'get', '']);
    await expect(program.parseAsync(['agents', 'get', ''], { from: 'user' })).rejects.toThrow('<agent> is empty.');
  });
});
