import { ApiError } from '@app/api-client';
import type { Command } from 'commander';
import { connect } from '../connection.js';
import type { CommandContext } from '../context.js';
import { changedFields } from '../difference.js';
import { editInEditor } from '../editor.js';
import { CommandError, EXIT_CODES, usageError } from '../errors.js';
import { checkFilters, readFields, withFields, type FieldOptions } from '../fields.js';
import { checkFields } from '../known-fields.js';
import { formatOption, pairsOption, readCount, withExamples } from '../options.js';
import { printRow, printRows, serialize, type Format, type Row } from '../output.js';
import { ResourceClient } from '../resource-client.js';
import { filtersOf, spoken, type Resource } from '../resources.js';
import { removes } from './removal.js';

interface ListOptions {
  readonly output: Format;
  readonly limit: number;
  readonly filter: Record<string, string>;
}

interface ContentOptions extends FieldOptions {
  readonly output: Format;
}

/** Adds `list` and `get`, and those of `create`, `edit` and `delete` that the platform offers for the resource. */
export function addResourceCommands(command: Command, context: CommandContext, resource: Resource): void {
  const { plural, verbs } = resource;
  withExamples(command, `${plural} list`, `${plural} list -o json`);
  addList(command, context, resource);
  addGet(command, context, resource);
  if (verbs.includes('create')) addCreate(command, context, resource);
  if (verbs.includes('edit')) addEdit(command, context, resource);
  if (verbs.includes('delete')) addDelete(command, context, resource);
}

function addList(command: Command, context: CommandContext, resource: Resource): void {
  const { plural, columns } = resource;
  const list = command
    .command('list')
    .description(`List ${spoken(plural)}`)
    .addOption(formatOption())
    .option('--limit <rows>', 'maximum number of rows', readCount, 100)
    .addOption(pairsOption('--filter <key=value>', describeFilters(resource)))
    .action(async ({ output, limit, filter }: ListOptions) => {
      checkFilters(`The list of ${spoken(plural)}`, filtersOf(resource), filter);
      const rows = await new ResourceClient(connect(context), resource).list(filter, limit);
      await printRows(context.terminal, rows, columns, output);
    });
  withExamples(list, `${plural} list`, `${plural} list --limit 10 -o yaml`);
}

function describeFilters(resource: Resource): string {
  const names = filtersOf(resource);
  return names.length === 0 ? `filter; ${spoken(resource.plural)} have none` : `filter: ${names.join(', ')}`;
}

function addGet(command: Command, context: CommandContext, resource: Resource): void {
  const { plural, kind, example } = resource;
  const get = command
    .command(`get <${kind}>`)
    .description(`Print all fields of ${one(kind)}`)
    .addOption(formatOption())
    .action(async (idOrName: string, { output }: { readonly output: Format }) => {
      const row = await new ResourceClient(connect(context), resource).find(idOrName);
      await printRow(context.terminal, row, output);
    });
  withExamples(get, `${plural} get ${example}`, `${plural} get ${example} -o json`);
}

function addCreate(command: Command, context: CommandContext, resource: Resource): void {
  const { plural, kind } = resource;
  const create = withContent(command.command('create'))
    .description(`Create ${one(kind)}`)
    .action(async (options: ContentOptions) => {
      const fields = await readContent(options, context, resource);
      if (fields === null) throw usageError('Give the fields with --file or --set.');
      checkFields(resource, fields, `A new ${spoken(kind)}`, null);
      const row = await new ResourceClient(connect(context), resource).create(fields);
      await printRow(context.terminal, row, options.output);
    });
  const field = resource.knownBy?.[0] ?? 'name';
  withExamples(
    create,
    `${plural} create --file ${kind}.yaml`,
    `${plural} create --set ${field}=${resource.example} --set 'field={a: 1, b: [x, y]}' -o json`,
  );
}

function addEdit(command: Command, context: CommandContext, resource: Resource): void {
  const { plural, kind, example, writeOnly = [] } = resource;
  const edit = withContent(command.command(`edit <${kind}>`))
    .description(`Change fields of ${one(kind)}: those given as options, or in an editor`)
    .action(async (idOrName: string, options: ContentOptions) => {
      const { terminal } = context;
      const client = new ResourceClient(connect(context), resource);
      const current = await client.find(idOrName);
      const given = await readContent(options, context, resource);
      const check = (fields: Row): void => checkFields(resource, fields, `${kind}/${idOrName}`, current);
      const wanted = given ?? (await editInEditor(current, terminal, check));
      if (given !== null) check(given);
      const changes = changedFields(wanted, current);
      if (Object.keys(changes).length === 0) return terminal.note('Nothing to change.');
      const updated =
        given === null
          ? await client.updateRead(current, changes).catch((error: unknown) => explain(error, kind, changes))
          : await client.update(client.idOf(current), changes);
      await printRow(terminal, updated, options.output);
    });
  const [field = 'description'] = writeOnly;
  withExamples(
    edit,
    `${plural} edit ${example}`,
    `${plural} edit ${example} --set '${field}=another text'`,
    `${plural} edit ${example} --file ${kind}.yaml`,
  ).addHelpText('after', '\nThe editor is the command in VISUAL or EDITOR. Only fields that differ are sent.');
}

/** An editor can be open for a long time. What was written in it is printed, because its file no longer exists. */
async function explain(error: unknown, kind: string, changes: Row): Promise<never> {
  if (!(error instanceof ApiError) || error.status !== 412) throw error;
  const written = await serialize(changes, 'yaml');
  throw new CommandError(
    `Somebody else changed the ${spoken(kind)} meanwhile. Nothing was changed.`,
    EXIT_CODES.failed,
    `Edit it again. Your changes were:\n${written.trimEnd()}`,
  );
}

function addDelete(command: Command, context: CommandContext, resource: Resource): void {
  const { plural, kind, example } = resource;
  const remove = command.command(`delete <${kind}...>`).description(`Delete ${spoken(plural)}; asks on a terminal`);
  removes(remove, context, resource, { verb: 'Delete', done: 'deleted' });
  withExamples(remove, `${plural} delete ${example}`, `${plural} delete ${example} --yes`);
}

const withContent = (command: Command): Command => withFields(command).addOption(formatOption());

/** Returns the fields that the options give; null without these options. A file may name its kind, as for `apply`. */
async function readContent(options: ContentOptions, context: CommandContext, resource: Resource): Promise<Row | null> {
  const content = await readFields(options, context.terminal);
  if (content === null) return null;
  const { kind, ...fields } = content;
  if (kind !== undefined && kind !== resource.kind) {
    throw usageError(`The file describes the kind ${JSON.stringify(kind)}, not ${resource.kind}.`);
  }
  return fields;
}

function one(kind: string): string {
  if (kind === 'knowledge') return 'a knowledge entry';
  return `${/^([aeio]|un)/.test(kind) ? 'an' : 'a'} ${spoken(kind)}`;
}
