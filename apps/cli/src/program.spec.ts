import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { Context } from './context.js';
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
  const terminal = new Terminal({ HOME: '/home/ada' }, process.stdin, process.stdout, process.stderr);
  const program = createProgram(new Context(terminal));

  it.each([...commandsOf(program)])('of "%s" has a description and examples of the command', (path, command) => {
    expect(command.description()).not.toBe('');
    const examples = helpOf(command).split('Examples:')[1] ?? '';
    expect(examples).toContain('$ agentctl ');
    expect(examples).toContain(path);
  });

  it('states the exit codes', () => {
    expect(helpOf(program)).toMatch(/Exit codes:[\s\S]* 130 /);
  });
});
