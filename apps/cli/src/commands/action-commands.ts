import { unwrap } from '@app/api-client';
import { Argument as CommandArgument, type Command } from 'commander';
import type { Action, Argument } from '../actions/action.js';
import { ACTIONS } from '../actions/actions.js';
import { connect, type Connection } from '../connection.js';
import type { CommandContext } from '../context.js';
import { checkFilters, readFields, withFields, type FieldOptions } from '../fields.js';
import { formatOption, pairsOption, readCount, withExamples } from '../options.js';
import { printRow, printRows, type Format, type Row } from '../output.js';
import { parametersOf, ResourceClient, rowsOf, sendTo } from '../resource-client.js';
import { requireResource } from '../resources.js';

const WITH_BODY: ReadonlySet<Action['method']> = new Set(['post', 'put', 'patch']);

interface ActionOptions extends Partial<FieldOptions> {
  readonly output?: Format;
  readonly limit?: number;
  readonly filter?: Record<string, string>;
}

/** Adds the commands of the table of actions to that of their kind. */
export function addActionCommands(parent: Command, context: CommandContext, kind: string): void {
  for (const action of ACTIONS.filter((action) => action.kind === kind)) addAction(parent, context, action);
}

/** A group of commands that is no kind of resource. */
export function defineGroup(kind: string): (command: Command, context: CommandContext) => void {
  return (command, context) => {
    const first = ACTIONS.find((action) => action.kind === kind);
    withExamples(command, `${kind} ${first?.name ?? ''} ${first?.example ?? ''}`.trim());
    addActionCommands(command, context, kind);
  };
}

function addAction(parent: Command, context: CommandContext, action: Action): void {
  const { name, description, args, filters, done, isPaged, hasFields, example } = action;
  const command = parent.command(name).description(description);
  for (const { to, name: shown = to, choices } of args) {
    const argument = new CommandArgument(`<${shown}>`);
    command.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  if (hasFields === true) withFields(command);
  if (done === undefined) command.addOption(formatOption());
  if (isPaged === true) command.option('--limit <rows>', 'maximum number of rows, at most 1000', readCount, 100);
  if (filters !== undefined) command.addOption(pairsOption('--filter <key=value>', `filter: ${filters.join(', ')}`));
  command.action(async (...given: unknown[]) => {
    const texts = given.slice(0, args.length) as string[];
    await carryOut(context, action, texts, given[args.length] as ActionOptions);
  });
  withExamples(command, `${parent.name()} ${name} ${example}`.trim());
}

async function carryOut(
  context: CommandContext,
  action: Action,
  texts: readonly string[],
  { output = 'table', limit, filter = {}, file, set = {} }: ActionOptions,
): Promise<void> {
  const { method, path, args, columns, done, filters = [] } = action;
  checkFilters('This command', filters, filter);
  const fields = (await readFields({ ...(file === undefined ? {} : { file }), set }, context.terminal)) ?? {};
  const connection = connect(context);
  const values = await valuesOf(connection, args, texts);
  const inPath = parametersOf(path);
  const pick = (isInPath: boolean): Row =>
    Object.fromEntries(Object.entries(values).filter(([name]) => inPath.includes(name) === isInPath));
  const response = await unwrap(
    sendTo(connection.controlPlane, method, path, {
      params: { path: pick(true), query: { ...filter, ...(limit === undefined ? {} : { limit }) } },
      ...(WITH_BODY.has(method) ? { body: { ...fields, ...pick(false) } } : {}),
    }),
  );
  if (done !== undefined) {
    const named = texts.filter(
      (_text, index) => inPath.includes(args[index]?.to ?? '') || args[index]?.kind !== undefined,
    );
    return context.terminal.print(`${named.join(' ')} ${done}`);
  }
  await printResponse(context, response, columns, output);
}

async function printResponse(
  { terminal }: CommandContext,
  response: unknown,
  columns: readonly string[] | undefined,
  output: Format,
): Promise<void> {
  const row = response as Row;
  if (columns === undefined || output !== 'table') {
    return Array.isArray(response)
      ? printRows(terminal, rowsOf(response), [], output)
      : printRow(terminal, row, output);
  }
  const isList = Array.isArray(response) || columns.every((column) => !(column in row));
  if (isList) return printRows(terminal, rowsOf(response), columns, output);
  return printRow(terminal, Object.fromEntries(columns.map((column) => [column, row[column]])), output);
}

/** Returns the parameters and fields that the arguments give; names of resources are replaced by their ids. */
async function valuesOf(connection: Connection, args: readonly Argument[], texts: readonly string[]): Promise<Row> {
  const given = Object.fromEntries(args.map(({ to }, index) => [to, texts[index] ?? '']));
  const values: Record<string, unknown> = { ...given };
  for (const { to, kind } of args) {
    if (kind === undefined) continue;
    const client = new ResourceClient(
      connection,
      requireResource(typeof kind === 'string' ? kind : (given[kind.by] ?? '')),
    );
    values[to] = client.idOf(await client.find(given[to] ?? ''));
  }
  return values;
}
