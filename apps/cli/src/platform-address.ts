import { ApiError } from '@app/api-client';
import type { CommandContext } from './context.js';
import { networkCodeOf } from './describe-error.js';
import { CommandError, EXIT_CODES } from './errors.js';

/** A route of the control plane only. Without a key, each API responds with an error in its own form. */
const PROBE = '/api/v1/client/session';
const TIMEOUT_MS = 10_000;

type Api = 'control plane' | 'platform API';

/**
 * Returns which API responds at an address: `neither` for a response of another program, null if a proxy reports that
 * the server behind it does not respond. Throws a CommandError if there is no response.
 */
async function apiAt(url: string): Promise<Api | 'neither' | null> {
  const response = await fetch(`${url}${PROBE}`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    (error: unknown) => {
      const reason = networkCodeOf(error) ?? (error instanceof Error ? error.message : String(error));
      const advice = 'Check that the platform runs there.';
      throw new CommandError(`${url} does not respond (${reason}).`, EXIT_CODES.unavailable, advice);
    },
  );
  const body: unknown = await response.json().catch(() => null);
  const fields = typeof body === 'object' && body !== null ? body : {};
  if ('errorCode' in fields) return 'platform API';
  if ('detail' in fields) return 'control plane';
  return response.status >= 500 ? null : 'neither';
}

/** Throws a CommandError if there is no response from the address, or if it is not that of the expected API. */
export async function checkAddress(url: string, expected: Api, option: string): Promise<void> {
  const found = await apiAt(url);
  if (found === null || found === expected) return;
  const advice = `Give the address of the ${expected} with ${option}.`;
  const actual = found === 'neither' ? 'another program' : `the ${found}`;
  throw new CommandError(`${url} is the address of ${actual}, not of the ${expected}.`, EXIT_CODES.usage, advice);
}

/** Statuses with which a server responds to requests that are meant for another one. */
const OF_OTHER_SERVERS: ReadonlySet<number> = new Set([400, 401, 404, 405]);

/**
 * Returns the failure of a command, or, if it comes from a server that is not the one of the profile's address, an error
 * that says so: the addresses of a login have been checked, those of variables have not.
 */
export async function explainFailure(
  error: unknown,
  { profiles, profileName, terminal }: CommandContext,
): Promise<unknown> {
  const isOfOther = error instanceof ApiError ? OF_OTHER_SERVERS.has(error.status) : error instanceof SyntaxError;
  if (!isOfOther) return error;
  try {
    const { control_plane_url: url, platform_api_url: platformUrl } = profiles.select(profileName, terminal.env);
    await checkAddress(url, 'control plane', 'AGENTCTL_URL or agentctl login');
    const option = 'AGENTCTL_PLATFORM_API_URL or agentctl login';
    if (platformUrl !== null) await checkAddress(platformUrl, 'platform API', option);
    return error;
  } catch (other) {
    return other instanceof CommandError && other.exitCode === EXIT_CODES.usage ? other : error;
  }
}
