import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { connect } from '../connection.js';
import type { CommandContext } from '../context.js';
import { describeError } from '../describe-error.js';
import { EXIT_CODES } from '../errors.js';
import type { LineInput } from '../line-input.js';
import { multitaskOption, withExamples, type Multitask } from '../options.js';
import { ResourceClient } from '../resource-client.js';
import { requireResource } from '../resources.js';
import { Turn } from '../turn.js';

interface ChatOptions {
  readonly session?: string;
  readonly multitask?: Multitask;
}

export function defineChat(chat: Command, context: CommandContext): void {
  chat
    .argument('<agent>', 'name or id of the agent')
    .option('--session <id>', 'continue this session')
    .addOption(multitaskOption())
    .action((agent: string, options: ChatOptions) => talk(context, agent, options));
  withExamples(chat, 'chat greeter', 'chat greeter --session ada-1', 'chat greeter < questions.txt').addHelpText(
    'after',
    `
Each line is a message to the agent. If the agent asks a question, the next line is the answer. Ctrl-C cancels the
run, Ctrl-D ends the chat. Without a terminal, the lines are those of standard input, and the exit code is 3 if the
last run did not complete.`,
  );
}

async function talk(
  context: CommandContext,
  name: string,
  { session = randomUUID(), multitask }: ChatOptions,
): Promise<void> {
  const { terminal } = context;
  const connection = connect(context);
  const agents = new ResourceClient(connection, requireResource('agent'));
  const agentId = agents.idOf(await agents.find(name));
  let turn: Turn | null = null;
  const input = await terminal.lines(() => turn?.cancel());
  if (terminal.isInteractive) terminal.note('Ctrl-C cancels a run, Ctrl-D ends the chat.');
  try {
    for (let line = await nextLine(input, context); line !== null; line = await nextLine(input, context)) {
      if (line.trim() === '') continue;
      turn = new Turn(connection, terminal, input);
      context.exitCode = await sent(turn, { agentId, prompt: line, session, multitask }, context);
      if (turn.isChatEnded) break;
      turn = null;
    }
  } finally {
    input.close();
    terminal.note(`Continue the chat: agentctl chat ${name} --session ${session}`);
  }
  if (terminal.isInteractive) context.exitCode = EXIT_CODES.done;
}

/** Returns null at the end of the input. */
async function nextLine(input: LineInput, { terminal }: CommandContext): Promise<string | null> {
  for (;;) {
    const next = await input.next('> ');
    if (next === 'end') return null;
    if (next !== 'interrupt') return next.line;
    terminal.note('Ctrl-D ends the chat.');
  }
}

/** On a terminal, a failed request does not end the chat: the user can send the message again. */
async function sent(
  turn: Turn,
  message: Parameters<Turn['run']>[0],
  { terminal }: CommandContext,
): ReturnType<Turn['run']> {
  try {
    return await turn.run(message);
  } catch (error) {
    if (!terminal.isInteractive) throw error;
    const { message: text, advice, exitCode } = describeError(error);
    terminal.note(advice === null ? text : `${text}\n  ${advice}`);
    return exitCode;
  }
}
