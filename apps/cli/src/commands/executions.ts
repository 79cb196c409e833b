import { unwrap } from '@app/api-client';
import type { Command } from 'commander';
import { connect } from '../connection.js';
import type { CommandContext } from '../context.js';
import { follow, type FollowOptions } from '../follow.js';
import { formatOption, withExamples } from '../options.js';
import { printRow, printRows, type Format } from '../output.js';

/** Adds the commands that only executions have. */
export function addExecutionCommands(executions: Command, context: CommandContext): void {
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
