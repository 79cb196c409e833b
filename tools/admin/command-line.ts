import { parseArgs } from 'node:util';
import { EMAIL_PATTERN } from '@app/kernel';

export interface NamedUser {
  readonly name: string;
  readonly email: string | null;
}

export type AdminCommand =
  | {
      readonly name: 'create-org';
      readonly organizationName: string;
      /** The user of the admin key; null: the service user of the organization. */
      readonly owner: NamedUser | null;
    }
  | { readonly name: 'create-user'; readonly organization: string; readonly user: NamedUser }
  | { readonly name: 'list-users'; readonly organization: string }
  | { readonly name: 'suspend-user' | 'activate-user'; readonly organization: string; readonly user: string }
  | {
      readonly name: 'create-key';
      readonly organization: string;
      readonly keyName: string;
      readonly scopes: readonly string[];
      readonly expiresAt: Date | null;
      /** Id or e-mail address; null: the service user of the organization. */
      readonly user: string | null;
    }
  | { readonly name: 'list-keys'; readonly organization: string }
  | { readonly name: 'revoke-key'; readonly organization: string; readonly keyId: string }
  | { readonly name: 'list-orgs' };

/** The command line is invalid. */
export class UsageError extends Error {}

export const USAGE = `Usage: npm run --silent admin -- <command> [options]

For the operator, who has access to the database and needs no key. With a key, use agentctl instead
(docs/guides/agentctl.md).

Commands:
  create-org --name <name> [--owner-email <e-mail>] [--owner-name <name>]
      Creates an organization with a default environment, a worker queue and an admin key. The key acts for the owner
      or, without one, for the service user of the organization. Prints {"organization_id","key_id","api_key"}.

  create-user --org <id or slug> [--email <e-mail>] [--name <name>]
      Creates a user. The name defaults to the e-mail address. Prints {"organization_id","user_id"}.

  list-users --org <id or slug>
      Prints [{"id","email","name","status","groups","created_at"}, ...], newest first.

  suspend-user --org <id or slug> --user <e-mail or id>
      Suspends a user, even the last admin. Every process rejects the keys of the user within a second.
      Prints {"organization_id","user_id","status"}.

  activate-user --org <id or slug> --user <e-mail or id>
      Makes the keys of a suspended user valid again. Prints {"organization_id","user_id","status"}.

  create-key --org <id or slug> --name <name> --scopes <a,b,...> [--user <e-mail or id>] [--expires-at <ISO 8601>]
      Creates an API key in an organization. It acts for the user or, without one, for the service user of the
      organization. A worker needs runners:manage,tasks:execute. Prints {"organization_id","key_id","api_key"}.

  list-keys --org <id or slug>
      Prints [{"id","name","scopes","user_id","user_email","user_name","created_at","last_used","expires_at"}, ...] of
      the keys that are not revoked, newest first.

  revoke-key --org <id or slug> --key <key id>
      Revokes a key. It stops working everywhere within a second. Prints {"organization_id","key_id","revoked":true}.

  list-orgs
      Prints [{"id","name","slug","created_at"}, ...], oldest first.

A key is shown once; only its hash is stored.

The commands use the database at DATABASE_URL or, if it is not set, that of the platform running on DATA_DIR
(default: .data).

Exit codes: 0 success, 1 failure, 64 invalid usage, 69 database unavailable, 78 invalid configuration.
`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  name: { type: 'string' },
  org: { type: 'string' },
  organization: { type: 'string' },
  key: { type: 'string' },
  scopes: { type: 'string' },
  'expires-at': { type: 'string' },
  user: { type: 'string' },
  email: { type: 'string' },
  'owner-email': { type: 'string' },
  'owner-name': { type: 'string' },
} as const;

type OptionName = keyof typeof OPTIONS;

/** The options of each command, besides --help. */
const COMMAND_OPTIONS: Readonly<Record<AdminCommand['name'], readonly OptionName[]>> = {
  'create-org': ['name', 'owner-email', 'owner-name'],
  'create-user': ['org', 'organization', 'email', 'name'],
  'list-users': ['org', 'organization'],
  'suspend-user': ['org', 'organization', 'user'],
  'activate-user': ['org', 'organization', 'user'],
  'create-key': ['org', 'organization', 'name', 'scopes', 'user', 'expires-at'],
  'list-keys': ['org', 'organization'],
  'revoke-key': ['org', 'organization', 'key'],
  'list-orgs': [],
};

export function parseCommandLine(args: readonly string[]): AdminCommand | 'help' {
  const { values, positionals } = readArguments(args);
  const [first, ...rest] = positionals;
  if (values.help === true || first === 'help') return 'help';
  const name = readCommandName(first);
  if (rest.length > 0) throw new UsageError(`Unexpected argument: ${rest[0]}`);
  const unknownOption = Object.keys(values).find((option) => !COMMAND_OPTIONS[name].includes(option as OptionName));
  if (unknownOption !== undefined) throw new UsageError(`${name} has no option --${unknownOption}`);
  return readCommand(name, values);
}

type Values = ReturnType<typeof readArguments>['values'];

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    // Node's message continues with advice about positional arguments that begin with a dash.
    const [firstSentence = ''] = (error as Error).message.split('. ');
    throw new UsageError(firstSentence);
  }
}

function readCommandName(name: string | undefined): AdminCommand['name'] {
  if (name === undefined) throw new UsageError(`Expected a command: ${Object.keys(COMMAND_OPTIONS).join(', ')}`);
  if (!Object.hasOwn(COMMAND_OPTIONS, name)) throw new UsageError(`Unknown command "${name}"`);
  return name as AdminCommand['name'];
}

function readCommand(name: AdminCommand['name'], values: Values): AdminCommand {
  if (name === 'list-orgs') return { name };
  if (name === 'create-org') {
    const owner = readUser(name, values['owner-email'], values['owner-name']);
    return { name, organizationName: requireOption(name, 'name', values.name), owner };
  }
  const organization = requireOption(name, 'org', values.org ?? values.organization);
  switch (name) {
    case 'create-user': {
      const user = readUser(name, values.email, values.name);
      if (user === null) throw new UsageError(`${name} requires --email or --name`);
      return { name, organization, user };
    }
    case 'list-users':
    case 'list-keys':
      return { name, organization };
    case 'suspend-user':
    case 'activate-user':
      return { name, organization, user: requireOption(name, 'user', values.user) };
    case 'revoke-key':
      return { name, organization, keyId: requireOption(name, 'key', values.key) };
    default:
      return readKey(name, organization, values);
  }
}

function readKey(name: 'create-key', organization: string, values: Values): AdminCommand {
  return {
    name,
    organization,
    keyName: requireOption(name, 'name', values.name),
    scopes: requireOption(name, 'scopes', values.scopes)
      .split(',')
      .map((scope) => scope.trim())
      .filter((scope) => scope !== ''),
    expiresAt: readTime(values['expires-at']),
    user: values.user === undefined ? null : requireOption(name, 'user', values.user),
  };
}

/** Returns null without an e-mail address and a name. A user without a name gets the address as its name. */
function readUser(command: string, email: string | undefined, name: string | undefined): NamedUser | null {
  if (email === undefined && name === undefined) return null;
  if (email !== undefined && !EMAIL_PATTERN.test(email)) {
    throw new UsageError(`${command}: not an e-mail address: ${email}`);
  }
  const chosen = name ?? email ?? '';
  if (chosen.trim() === '') throw new UsageError(`${command}: the name of the user is empty`);
  return { name: chosen, email: email ?? null };
}

function requireOption(command: string, option: OptionName, value: string | undefined): string {
  if (value === undefined || value.trim() === '') throw new UsageError(`${command} requires --${option}`);
  return value;
}

function readTime(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new UsageError(`--expires-at is not an ISO 8601 time: ${text}`);
  return time;
}
