import { unwrap } from '@app/api-client';
import type { Command } from 'commander';
import type { Context } from '../context.js';
import { follow, type FollowOptions } from '../follow.js';
import { withExamples } from '../options.js';

/** Adds the commands of executions beside those of all resources. */
export function addExecutionCommands(executions: Command, context: Context): void {
  const tail = executions
    .command('tail <execution>')
    .description('Print the events of an execution, from the first one until it ends')
    .option('--json', 'one JSON object per line')
    .option('--after <event>', 'start after this event id')
    .action(async (execution: string, options: FollowOptions) => {
      context.exitCode = await follow(context.connect(), context.terminal, execution, options);
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
      const { controlPlane } = context.connect();
      for (const execution_id of ids) {
        const params = { path: { execution_id } };
        const { status } = await unwrap(controlPlane.POST('/api/v1/executions/{execution_id}/cancel', { params }));
        context.terminal.print(`${execution_id} ${status}`);
      }
    });
  withExamples(cancel, 'executions cancel EXECUTION_ID');
}
