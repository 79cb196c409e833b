import { writeFile } from 'node:fs/promises';
import { unwrap } from '@app/api-client';
import type { Command } from 'commander';
import { connect } from '../connection.js';
import type { CommandContext } from '../context.js';
import { CommandError, EXIT_CODES } from '../errors.js';
import { follow, type FollowOptions } from '../follow.js';
import { formatOption, withExamples } from '../options.js';
import { printRow, printRows, type Format } from '../output.js';
import { ResourceClient } from '../resource-client.js';
import { requireResource } from '../resources.js';
import type { StartOptions } from '../start.js';
import { waitsInSession } from '../waiting-reason.js';

/** Adds the commands that only executions have. */
export function addExecutionCommands(executions: Command, context: CommandContext): void {
  addSessionOption(executions, context);
  const tail = executions
    .command('tail <execution>')
    .description('Print the events of an execution, from the first one until it ends')
    .option('--json', 'one JSON object per line')
    .option('--after <event>', 'start after this event id')
    .action(async (execution: string, options: FollowOptions) => {
      context.exitCode = await follow(connect(context), context.terminal, execution, options);
    });
  withExamples(
    tail,
    'executions tail 0190d1c0-7d3a-7c62-9a55-0d4a8c5b1f10',
    'executions tail EXECUTION_ID --json | jq -r .event',
  ).addHelpText('after', '\nA broken connection is resumed. Exit code 3: the execution did not complete.');
  const cancel = executions
    .command('cancel <execution...>')
    .description('Cancel executions')
    .action(async (ids: string[]) => {
      const { controlPlane } = connect(context);
      for (const execution_id of ids) {
        const params = { path: { execution_id } };
        const { status } = await unwrap(controlPlane.POST('/api/v1/executions/{execution_id}/cancel', { params }));
        context.terminal.print(`${execution_id} ${status}`);
      }
    });
  withExamples(cancel, 'executions cancel EXECUTION_ID');
  addRerun(executions, context);
  addTimeline(executions, context);
  addToolCalls(executions, context);
  addAnswer(executions, context);
  addFiles(executions, context);
}

/** Extends the list that all resources have. A `session_id` alone can name sessions of several users. */
function addSessionOption(executions: Command, context: CommandContext): void {
  const list = executions.commands.find((command) => command.name() === 'list');
  if (list === undefined) throw new Error('Executions have no list');
  list
    .option('--session <session>', 'only those of this session: its id or session_id')
    .hook('preAction', async (command) => {
      const { session, filter } = command.opts<{ readonly session?: string; readonly filter: object }>();
      if (session === undefined) return;
      const { session_id, user_id } = await new ResourceClient(connect(context), requireResource('session')).find(
        session,
      );
      command.setOptionValue('filter', { ...filter, session_id, user_id });
    });
  withExamples(list, 'executions list --session ada-1');
}

function addAnswer(executions: Command, context: CommandContext): void {
  const answer = executions
    .command('answer <execution> <text>')
    .description('Answer the question of an execution that waits for input')
    .option('--follow', 'print the events of the execution from now until it ends')
    .option('--json', 'one JSON object per line')
    .action(async (execution_id: string, message: string, options: StartOptions) => {
      const connection = connect(context);
      const params = { path: { execution_id } };
      const { status } = await unwrap(connection.controlPlane.GET('/api/v1/executions/{execution_id}', { params }));
      if (status !== 'waiting_for_input') {
        const advice = 'Send a message without a question: agentctl executions message';
        throw new CommandError(`The execution is ${status}: it waits for no answer.`, EXIT_CODES.failed, advice);
      }
      await unwrap(
        connection.controlPlane.POST('/api/v1/executions/{execution_id}/message', { params, body: { message } }),
      );
      if (options.follow === true) context.exitCode = await follow(connection, context.terminal, execution_id, options);
      else context.terminal.print(`${execution_id} answered`);
    });
  withExamples(answer, 'executions answer EXECUTION_ID Blue', 'executions answer EXECUTION_ID Blue --follow');
}

function addFiles(executions: Command, context: CommandContext): void {
  const files = executions
    .command('files <execution> [file]')
    .description('List the files that an execution made, or write one to standard output or to a file')
    .option('--to <path>', 'write the file there')
    .addOption(formatOption())
    .action(
      async (id: string, name: string | undefined, options: { readonly output: Format; readonly to?: string }) => {
        if (name !== undefined) return download(context, id, name, options.to);
        const params = { path: { execution_id: id }, query: { limit: 1000 } };
        const { controlPlane } = connect(context);
        const found = await unwrap(controlPlane.GET('/api/v1/executions/{execution_id}/files', { params }));
        const rows = found.map((file) => ({ ...file }));
        await printRows(context.terminal, rows, ['name', 'size', 'content_type', 'created_at'], options.output);
      },
    );
  withExamples(
    files,
    'executions files EXECUTION_ID',
    'executions files EXECUTION_ID report.csv > report.csv',
    'executions files EXECUTION_ID chart.png --to chart.png',
  );
}

async function download(context: CommandContext, execution_id: string, file_name: string, to?: string): Promise<void> {
  const { controlPlane } = connect(context);
  const content: ArrayBuffer = await unwrap(
    controlPlane.GET('/api/v1/executions/{execution_id}/files/{file_name}', {
      params: { path: { execution_id, file_name } },
      parseAs: 'arrayBuffer',
    }),
  );
  const bytes = new Uint8Array(content);
  if (to === undefined) return context.terminal.writeBytes(bytes);
  await writeFile(to, bytes);
  context.terminal.note(`${to}: ${bytes.length} bytes`);
}

function addRerun(executions: Command, context: CommandContext): void {
  const rerun = executions
    .command('rerun <execution...>')
    .description('Start new executions with the input of others')
    .action(async (ids: string[]) => {
      const { controlPlane } = connect(context);
      for (const execution_id of ids) {
        const params = { path: { execution_id } };
        const started = await unwrap(
          controlPlane.POST('/api/v1/executions/{execution_id}/rerun', { params, body: {} }),
        );
        context.terminal.print(`${started.execution_id} ${started.status}`);
      }
    });
  withExamples(rerun, 'executions rerun EXECUTION_ID').addHelpText('after', '\nPrints the ids of the new executions.');
}

function addTimeline(executions: Command, context: CommandContext): void {
  const timeline = executions
    .command('timeline <execution>')
    .description('Show the changes of the status of an execution, oldest first')
    .addOption(formatOption())
    .action(async (execution_id: string, { output }: { readonly output: Format }) => {
      const params = { path: { execution_id } };
      const { controlPlane } = connect(context);
      const found = await unwrap(controlPlane.GET('/api/v1/executions/{execution_id}/timeline', { params }));
      if (output !== 'table') return printRow(context.terminal, { ...found }, output);
      const rows = found.transitions.map(({ actor, ...change }) => ({ ...change, by: actor.name ?? actor.kind }));
      await printRows(context.terminal, rows, ['at', 'from', 'to', 'attempt', 'by', 'reason'], output);
      const { waits_for_execution_id: before } = found;
      if (before !== null) context.terminal.note(waitsInSession(before));
    });
  withExamples(
    timeline,
    'executions timeline EXECUTION_ID',
    'executions timeline EXECUTION_ID -o json | jq .attempts',
  ).addHelpText('after', '\nThe formats json and yaml also contain the attempts.');
}

function addToolCalls(executions: Command, context: CommandContext): void {
  const toolCalls = executions
    .command('tool-calls <execution>')
    .description('List the first 1,000 tool calls of an execution, sorted by end time')
    .addOption(formatOption())
    .action(async (execution_id: string, { output }: { readonly output: Format }) => {
      const params = { path: { execution_id }, query: { limit: 1000 } };
      const { controlPlane } = connect(context);
      const calls = await unwrap(controlPlane.GET('/api/v1/executions/{execution_id}/tool-calls', { params }));
      const columns = ['completed_at', 'tool_name', 'member_name', 'status', 'duration_ms', 'arguments'];
      await printRows(
        context.terminal,
        calls.map((call) => ({ ...call })),
        columns,
        output,
      );
    });
  withExamples(toolCalls, 'executions tool-calls EXECUTION_ID', 'executions tool-calls EXECUTION_ID -o json');
}
