import { unwrap } from '@app/api-client';
import type { Command } from 'commander';
import { connect } from '../connection.js';
import type { CommandContext } from '../context.js';
import { follow, type FollowOptions } from '../follow.js';
import { pairsOption, withExamples } from '../options.js';
import { jsonText } from '../output.js';
import { ResourceClient } from '../resource-client.js';
import { requireResource } from '../resources.js';

interface TriggerOptions extends FollowOptions {
  readonly param: Record<string, string>;
  readonly follow?: true;
}

/** Adds the commands that only jobs have. */
export function addJobCommands(jobs: Command, context: CommandContext): void {
  const trigger = jobs
    .command('trigger <job>')
    .description('Start an execution of a job, given by id or name')
    .addOption(pairsOption('-p, --param <key=value>', 'value of a placeholder of the prompt'))
    .option('--follow', 'print the events of the execution until it ends')
    .option('--json', 'one JSON object per line')
    .action(async (job: string, options: TriggerOptions) => {
      const connection = connect(context);
      const client = new ResourceClient(connection, requireResource('job'));
      const job_id = client.idOf(await client.find(job));
      const started = await unwrap(
        connection.controlPlane.POST('/api/v1/jobs/{job_id}/trigger', {
          params: { path: { job_id } },
          body: { parameters: options.param },
        }),
      );
      if (options.json === true) context.terminal.print(jsonText(started));
      else context.terminal.print(started.execution_id);
      if (options.follow === true) {
        context.exitCode = await follow(connection, context.terminal, started.execution_id, options);
      }
    });
  withExamples(
    trigger,
    'jobs trigger greet --param name=Ada',
    'jobs trigger greet --param name=Ada --follow',
    'jobs trigger greet --follow --json | tail -n 1',
  ).addHelpText(
    'after',
    '\nPrints the id of the execution first. Exit code 3: the followed execution did not complete.',
  );
}
