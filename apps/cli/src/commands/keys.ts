import { unwrap } from '@app/api-client';
import type { Command } from 'commander';
import { connect } from '../connection.js';
import type { CommandContext } from '../context.js';
import { usageError } from '../errors.js';
import { formatOption, withExamples } from '../options.js';
import { printRow, type Format, type Row } from '../output.js';
import { ResourceClient } from '../resource-client.js';
import { requireResource } from '../resources.js';
import { removes } from './removal.js';

interface CreateOptions {
  readonly output: Format;
  readonly scopes?: string;
  readonly expiresAt?: string;
  readonly user?: string;
  readonly description?: string;
}

interface RotateOptions {
  readonly output: Format;
  readonly overlap?: string;
}

/** Adds the commands that only keys have. */
export function addKeyCommands(keys: Command, context: CommandContext): void {
  addCreate(keys, context);
  addRotate(keys, context);
  addRevoke(keys, context);
}

function addCreate(keys: Command, context: CommandContext): void {
  const create = keys
    .command('create <name>')
    .description('Create a key and print it; it is shown only this time')
    .option('--scopes <scopes>', 'scopes, separated by commas; asked for on a terminal')
    .option('--expires-at <time>', 'ISO 8601 time at which the key expires')
    .option('--user <user>', 'id or e-mail address of the user for whom the key acts (default: that of the key in use)')
    .option('--description <text>', 'description, as free text')
    .addOption(formatOption())
    .action(async (name: string, { output, scopes, expiresAt, user, description }: CreateOptions) => {
      const granted = await readScopes(context, scopes);
      const connection = connect(context);
      const users = new ResourceClient(connection, requireResource('user'));
      const body = {
        name,
        ...(description === undefined ? {} : { description }),
        scopes: granted,
        ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
        ...(user === undefined ? {} : { user_id: users.idOf(await users.find(user)) }),
      };
      await printKey(context, await unwrap(connection.platformApi.POST('/api/v1/auth/keys', { body })), output);
    });
  withExamples(
    create,
    'keys create ci --scopes agents:read,tasks:read,tasks:execute',
    'keys create reports --scopes tasks:read --user ada@example.com --expires-at 2027-01-01T00:00:00Z',
    'keys create ci --scopes tasks:read > key-file',
  ).addHelpText('after', '\nScopes: the guide on keys lists the routes that each one grants; admin grants all.');
}

/** The platform would give a key without scopes those of the key in use, mostly `admin`: more than most keys need. */
async function readScopes({ terminal }: CommandContext, given: string | undefined): Promise<string[]> {
  if (given === undefined && !terminal.isInteractive) {
    throw usageError(
      'Without a terminal, --scopes is required.',
      'For example: --scopes agents:read,tasks:read,tasks:execute',
    );
  }
  const text = given ?? (await terminal.ask('Scopes, separated by commas (admin grants all): '));
  const scopes = text.split(',').map((scope) => scope.trim());
  if (scopes.includes('')) throw usageError('A scope is empty.', 'For example: agents:read,tasks:read,tasks:execute');
  return scopes;
}

function addRotate(keys: Command, context: CommandContext): void {
  const rotate = keys
    .command('rotate <key>')
    .description('Create the successor of a key and print it; the old key remains valid for a limited time')
    .option('--overlap <seconds>', 'how long the old key remains valid (default: a day)')
    .addOption(formatOption())
    .action(async (key: string, { output, overlap }: RotateOptions) => {
      const key_id = await idOf(context, key);
      const body = overlap === undefined ? {} : { overlap_seconds: Number(overlap) };
      const params = { path: { key_id } };
      const { platformApi } = connect(context);
      const minted = await unwrap(platformApi.POST('/api/v1/auth/keys/{key_id}/rotate', { params, body }));
      await printKey(context, minted, output);
    });
  withExamples(rotate, 'keys rotate ci', 'keys rotate ci --overlap 3600 > key-file');
}

function addRevoke(keys: Command, context: CommandContext): void {
  const revoke = keys
    .command('revoke <key...>')
    .description('Revoke keys, after a question on a terminal; every process rejects them within a second');
  removes(revoke, context, requireResource('key'), { verb: 'Revoke', done: 'revoked' });
  withExamples(revoke, 'keys revoke ci', 'keys revoke ci --yes');
}

async function idOf(context: CommandContext, idOrName: string): Promise<string> {
  const client = new ResourceClient(connect(context), requireResource('key'));
  return client.idOf(await client.find(idOrName));
}

/** Writes nothing but the key to standard output, so that it can be redirected to a file or assigned to a variable. */
async function printKey(
  { terminal }: CommandContext,
  minted: Row & { readonly key: string; readonly scopes: readonly string[] },
  output: Format,
): Promise<void> {
  if (output !== 'table') return printRow(terminal, minted, output);
  terminal.print(minted.key);
  const scopes = minted.scopes.length === 0 ? 'no scopes' : `the scopes ${minted.scopes.join(', ')}`;
  terminal.note(`${String(minted['id'])} "${String(minted['name'])}" with ${scopes}; the key is not shown again.`);
}
