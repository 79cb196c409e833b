import { unwrap } from '@app/api-client';
import type { Command } from 'commander';
import { connect } from '../connection.js';
import type { CommandContext } from '../context.js';
import { pairsOption, withExamples } from '../options.js';
import { ResourceClient } from '../resource-client.js';
import { requireResource } from '../resources.js';
import { allowMissingOption, checkParameters, type ParameterOptions } from '../parameters.js';
import { announce, withStartOptions, type StartOptions } from '../start.js';

interface TriggerOptions extends StartOptions, ParameterOptions {
  readonly param: Record<string, string>;
}

/** Adds the commands that only jobs have. */
export function addJobCommands(jobs: Command, context: CommandContext): void {
  const trigger = jobs
    .command('trigger <job>')
    .description('Start an execution of a job, given by id or name')
    .addOption(pairsOption('-p, --param <key=value>', 'value of a placeholder of the prompt'))
    .addOption(allowMissingOption());
  withStartOptions(trigger).action(async (job: string, options: TriggerOptions) => {
    const connection = connect(context);
    const client = new ResourceClient(connection, requireResource('job'));
    const job_id = client.idOf(await client.find(job));
    const { controlPlane } = connection;
    const preview = { params: { path: { job_id } }, body: { parameters: options.param } };
    await checkParameters(options, () => unwrap(controlPlane.POST('/api/v1/jobs/{job_id}/preview', preview)));
    const started = await unwrap(
      controlPlane.POST('/api/v1/jobs/{job_id}/trigger', {
        params: { path: { job_id } },
        body: { parameters: options.param },
      }),
    );
    await announce(context, connection, started, options);
  });
  withExamples(
    trigger,
    'jobs trigger greet --param name=Ada',
    'jobs trigger greet --param name=Ada --follow',
    'jobs trigger greet --follow --json | tail -n 1',
  ).addHelpText(
    'after',
    '\nPrints the id of the execution first. Exit code 3: the execution failed at once, or the followed one did not complete.',
  );
}
