import { parseArgs } from 'node:util';

export type AdminCommand =
  | { readonly name: 'create-org'; readonly organizationName: string }
  | {
      readonly name: 'create-key';
      readonly organization: string;
      readonly keyName: string;
      readonly scopes: readonly string[];
      readonly expiresAt: Date | null;
    }
  | { readonly name: 'list-orgs' };

/** The command line is not understood. */
export class UsageError extends Error {}

export const usage = `Usage: npm run --silent admin -- <command> [options]

Commands
  create-org --name <name>
      Makes an organization with its default environment, a worker queue in it and an admin key.
      Prints {"organization_id","api_key"}.

  create-key --org <id or slug> --name <name> --scopes <a,b,...> [--expires-at <ISO 8601>]
      Makes an API key in an organization. A worker needs runners:manage,tasks:execute.
      Prints {"organization_id","key_id","api_key"}.

  list-orgs
      Prints [{"id","name","slug","created_at"}, ...], oldest first.

A key is shown once: only its hash is stored.

The commands work on the platform that runs on DATA_DIR (default .data), or on the database that DATABASE_URL names.

Exit codes: 0 done, 1 refused or failed, 64 wrong usage, 69 no database to work on, 78 wrong configuration.
`;

const options = {
  help: { type: 'boolean', short: 'h' },
  name: { type: 'string' },
  org: { type: 'string' },
  organization: { type: 'string' },
  scopes: { type: 'string' },
  'expires-at': { type: 'string' },
} as const;

type OptionName = keyof typeof options;

/** What each command takes, beyond --help. */
const optionsOf: Readonly<Record<AdminCommand['name'], readonly OptionName[]>> = {
  'create-org': ['name'],
  'create-key': ['org', 'organization', 'name', 'scopes', 'expires-at'],
  'list-orgs': [],
};

export function parseCommandLine(args: readonly string[]): AdminCommand | 'help' {
  const { values, positionals } = readArguments(args);
  const [first, ...rest] = positionals;
  if (values.help === true || first === 'help') return 'help';
  const name = knownCommand(first);
  if (rest.length > 0) throw new UsageError(`Unexpected argument: ${rest[0]}`);
  const stranger = Object.keys(values).find((option) => !optionsOf[name].includes(option as OptionName));
  if (stranger !== undefined) throw new UsageError(`${name} has no option --${stranger}`);
  return readCommand(name, values);
}

type Values = ReturnType<typeof readArguments>['values'];

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split('. ');
    throw new UsageError(sentence);
  }
}

function knownCommand(name: string | undefined): AdminCommand['name'] {
  if (name === undefined) throw new UsageError('Name a command: create-org, create-key or list-orgs');
  if (!Object.hasOwn(optionsOf, name)) throw new UsageError(`There is no command "${name}"`);
  return name as AdminCommand['name'];
}

function readCommand(name: AdminCommand['name'], values: Values): AdminCommand {
  if (name === 'list-orgs') return { name };
  if (name === 'create-org') return { name, organizationName: given(name, 'name', values.name) };
  return {
    name,
    organization: given(name, 'org', values.org ?? values.organization),
    keyName: given(name, 'name', values.name),
    scopes: given(name, 'scopes', values.scopes)
      .split(',')
      .map((scope) => scope.trim())
      .filter((scope) => scope !== ''),
    expiresAt: readTime(values['expires-at']),
  };
}

function given(command: string, option: OptionName, value: string | undefined): string {
  if (value === undefined || value.trim() === '') throw new UsageError(`${command} needs --${option}`);
  return value;
}

function readTime(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new UsageError(`--expires-at is no ISO 8601 time: ${text}`);
  return time;
}
