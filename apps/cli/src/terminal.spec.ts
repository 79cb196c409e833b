import { describe, expect, it } from '@jest/globals';
import { printRow } from './output.js';
import { Terminal } from './terminal.js';

/** Returns a terminal or a pipe, and what is written to it. */
function open({ isTTY, env = {} }: { readonly isTTY: boolean; readonly env?: NodeJS.ProcessEnv }): {
  readonly terminal: Terminal;
  readonly written: () => string;
} {
  let text = '';
  const stream = { isTTY, write: (part: string) => (text += part) };
  const streams = { stdin: stream, stdout: stream, stderr: stream } as unknown as NodeJS.Process;
  return { terminal: new Terminal(env, streams), written: () => text };
}

const HOSTILE = 'a\u001b]0;title\u0007b\u0085c\u009bd\ttab\nline';
const ESCAPED = 'a\\u001b]0;title\\u0007b\\u0085c\\u009bd\ttab\nline';
const CONTROLS = ['\u001b', '\u0007', '\u0085', '\u009b'];

describe('the output on a terminal', () => {
  it('has control characters escaped', () => {
    const { terminal, written } = open({ isTTY: true });
    terminal.print(HOSTILE);
    expect(written()).toBe(`${ESCAPED}\n`);
  });

  it('keeps the colors of the program', () => {
    const { terminal, written } = open({ isTTY: true });
    terminal.print(`${terminal.style('red', 'denied')} ${HOSTILE}`);
    expect(written()).toBe(`\u001b[31mdenied\u001b[39m ${ESCAPED}\n`);
  });

  it('has no colors, also none of a text, with NO_COLOR', () => {
    const { terminal, written } = open({ isTTY: true, env: { NO_COLOR: '1' } });
    terminal.print(`${terminal.style('red', 'denied')} \u001b[31m`);
    expect(written()).toBe('denied \\u001b[31m\n');
  });

  it.each(['json', 'yaml'] as const)('has control characters escaped in %s', async (format) => {
    const { terminal, written } = open({ isTTY: true });
    await printRow(terminal, { text: HOSTILE }, format);
    expect(CONTROLS.filter((control) => written().includes(control))).toEqual([]);
  });
});

describe('the output in a pipe', () => {
  it('is unchanged', () => {
    const { terminal, written } = open({ isTTY: false });
    terminal.write(HOSTILE);
    expect(written()).toBe(HOSTILE);
  });

  it('is JSON of the same values, without control characters', async () => {
    const { terminal, written } = open({ isTTY: false });
    await printRow(terminal, { text: HOSTILE }, 'json');
    expect(CONTROLS.filter((control) => written().includes(control))).toEqual([]);
    expect(JSON.parse(written())).toEqual({ text: HOSTILE });
  });
});
