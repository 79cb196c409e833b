import { createControlPlaneClient, unwrap, type ControlPlaneClient } from '@app/api-client';
import type { Command } from 'commander';
import type { CommandContext } from '../context.js';
import { CommandError, EXIT_CODES, usageError } from '../errors.js';
import { withExamples } from '../options.js';
import { checkAddress } from '../platform-address.js';
import { DEFAULT_PROFILE, normalizeUrl, type Profile } from '../profiles.js';

interface LoginOptions {
  readonly url?: string;
  readonly platformApiUrl?: string;
  readonly keyStdin?: true;
}

const LOCAL = 'http://127.0.0.1:3000';
const NONE = '-';
const PLATFORM_OPTION = '--platform-api-url';

export function defineLogin(login: Command, context: CommandContext): void {
  login
    .option('--url <url>', 'address of the control plane')
    .option(
      '--platform-api-url <url>',
      'address of the platform API, which the commands for keys, users and tasks use; - for none (default: the one that the control plane reports)',
    )
    .option('--key-stdin', 'read the key from standard input')
    .action((options: LoginOptions) => signIn(options, context));
  withExamples(
    login,
    'login',
    '--profile staging login --url https://platform.example --platform-api-url https://api.platform.example',
    'login --url http://127.0.0.1:3000 --key-stdin < key-file',
  ).addHelpText(
    'after',
    `\nThe key is asked for, read from standard input, or taken from AGENTCTL_API_KEY. No option takes it, because
the shell would store it in its history. Profiles are stored in ${context.profiles.file}, which only you can read.`,
  );
}

async function signIn(options: LoginOptions, context: CommandContext): Promise<void> {
  const { terminal, profiles } = context;
  const stored = profiles.read();
  const name = context.profileName ?? (terminal.env['AGENTCTL_PROFILE'] || DEFAULT_PROFILE);
  const before = stored.profiles[name];
  const url = options.url ?? (await ask(context, 'Control plane', before?.control_plane_url, '--url'));
  const control_plane_url = normalizeUrl(url);
  await checkAddress(control_plane_url, 'control plane', '--url');
  const given = options.platformApiUrl === undefined ? undefined : urlOrNone(options.platformApiUrl);
  if (typeof given === 'string') await checkAddress(given, 'platform API', PLATFORM_OPTION);
  const api_key = await readKey(options, context);
  const client = createControlPlaneClient({ baseUrl: control_plane_url, apiKey: api_key });
  const session = await unwrap(client.GET('/api/v1/client/session'));
  // A key is sent only to the platform that it was given for.
  const known = before?.control_plane_url === control_plane_url ? before.platform_api_url : null;
  const platform_api_url = given === undefined ? await findPlatformApi(client, known, options, context) : given;
  const profile: Profile = { control_plane_url, platform_api_url, api_key };
  profiles.write({ current: name, profiles: { ...stored.profiles, [name]: profile } });
  const user = session.user_name ?? session.user_email ?? session.user_id;
  terminal.note(`Signed in to ${session.organization_name} as ${user} with the key "${session.key_name}".`);
  terminal.note(`Profile "${name}" in ${profiles.file} is now in use.`);
}

const urlOrNone = (address: string): string | null => (address === NONE ? null : normalizeUrl(address));

/**
 * Returns the address of the platform API that the control plane reports. If it reports none, returns the known one or,
 * on a terminal, asks. An address without a response is returned, because most commands do not need the platform API.
 */
async function findPlatformApi(
  client: ControlPlaneClient,
  known: string | null,
  options: LoginOptions,
  context: CommandContext,
): Promise<string | null> {
  const { platform_api_url: reported } = await unwrap(client.GET('/api/v1/client/config'));
  const url = urlOrNone(reported ?? (await askForPlatformApi(options, context, known ?? NONE)));
  if (url === null) return null;
  try {
    await checkAddress(url, 'platform API', PLATFORM_OPTION);
  } catch (error) {
    if (!(error instanceof CommandError) || error.exitCode !== EXIT_CODES.unavailable) throw error;
    const source = reported === null ? '' : ', as the control plane reports';
    context.terminal.note(`${error.message} It is the address of the platform API${source}.`);
  }
  return url;
}

/** Asks for an address; Enter takes the proposed one. Throws a CommandError without a terminal. */
async function ask(
  context: CommandContext,
  label: string,
  before: string | undefined,
  option: string,
): Promise<string> {
  const { terminal } = context;
  if (!terminal.isInteractive) throw usageError(`Without a terminal, ${option} is required.`);
  const proposal = before ?? LOCAL;
  return (await terminal.ask(`${label} [${proposal}]: `)) || proposal;
}

/** Does not ask if the address of the control plane was given as an option. */
async function askForPlatformApi(options: LoginOptions, context: CommandContext, proposal: string): Promise<string> {
  if (options.url !== undefined || !context.terminal.isInteractive) return proposal;
  return (await context.terminal.ask(`Platform API, ${NONE} for none [${proposal}]: `)) || proposal;
}

async function readKey({ keyStdin }: LoginOptions, { terminal }: CommandContext): Promise<string> {
  const fromEnvironment = terminal.env['AGENTCTL_API_KEY'] ?? '';
  if (keyStdin === undefined && fromEnvironment !== '') return fromEnvironment;
  if (keyStdin === undefined && !terminal.isInteractive) {
    throw usageError('Without a terminal, --key-stdin or AGENTCTL_API_KEY is required.');
  }
  const key =
    keyStdin === true
      ? (await terminal.readInput()).trim()
      : await terminal.ask('API key (not shown): ', { hidden: true });
  if (key === '') throw usageError('The key is empty.');
  return key;
}
