import { unwrap } from '@app/api-client';
import type { Command } from 'commander';
import { connect } from '../connection.js';
import type { CommandContext } from '../context.js';
import { formatOption, withExamples } from '../options.js';
import { printRow, type Format } from '../output.js';

export function defineWhoami(whoami: Command, context: CommandContext): void {
  whoami.addOption(formatOption()).action(async ({ output }: { readonly output: Format }) => {
    const session = await unwrap(connect(context).controlPlane.GET('/api/v1/client/session'));
    await printRow(context.terminal, session, output);
  });
  withExamples(whoami, 'whoami', '--profile staging whoami -o json');
}
