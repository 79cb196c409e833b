import { InvalidArgumentError, type Command } from 'commander';
import type { Context } from '../context.js';
import { formatOption, pairsOption, withExamples } from '../options.js';
import { printRow, printRows, type Format } from '../output.js';
import { ResourceClient } from '../resource-client.js';
import type { Resource } from '../resources.js';

interface ListOptions {
  readonly output: Format;
  readonly limit: number;
  readonly filter: Record<string, string>;
}

/** Adds the command of a resource with what the platform offers for it. Returns it, for commands of its own. */
export function addResourceCommands(program: Command, context: Context, resource: Resource): Command {
  const { plural } = resource;
  const command = program.command(plural).description(`Commands for ${plural}`);
  withExamples(command, `${plural} list`, `${plural} list -o json`);
  addList(command, context, resource);
  if (resource.item !== undefined) addGet(command, context, resource);
  return command;
}

function addList(command: Command, context: Context, resource: Resource): void {
  const { plural, columns } = resource;
  const list = command
    .command('list')
    .description(`List ${plural}`)
    .addOption(formatOption())
    .option('--limit <rows>', 'maximum number of rows', readLimit, 100)
    .addOption(pairsOption('--filter <key=value>', 'query parameter of the list route'))
    .action(async ({ output, limit, filter }: ListOptions) => {
      const rows = await new ResourceClient(context.connect(), resource).list(filter, limit);
      await printRows(context.terminal, rows, columns, output);
    });
  withExamples(list, `${plural} list`, `${plural} list --limit 10 -o yaml`);
}

function addGet(command: Command, context: Context, resource: Resource): void {
  const { plural, kind, example } = resource;
  const get = command
    .command(`get <${kind}>`)
    .description(`Print all fields of ${aOrAn(kind)} ${kind}`)
    .addOption(formatOption())
    .action(async (idOrName: string, { output }: { readonly output: Format }) => {
      const row = await new ResourceClient(context.connect(), resource).find(idOrName);
      await printRow(context.terminal, row, output);
    });
  withExamples(get, `${plural} get ${example}`, `${plural} get ${example} -o json`);
}

const aOrAn = (noun: string): string => (/^[aeiou](?!se)/.test(noun) ? 'an' : 'a');

function readLimit(value: string): number {
  const limit = Number(value);
  if (!Number.isInteger(limit) || limit < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return limit;
}
