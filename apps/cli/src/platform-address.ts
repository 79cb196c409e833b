import { networkCodeOf } from './describe-error.js';
import { CommandError, EXIT_CODES } from './errors.js';

/** A route of the control plane only. Without a key, each API responds with an error in its own form. */
const PROBE = '/api/v1/client/session';
const TIMEOUT_MS = 10_000;

type Api = 'control plane' | 'platform API';

/**
 * Returns which API responds at an address; null if the response is of neither. Throws a CommandError if there is no
 * response.
 */
async function apiAt(url: string): Promise<Api | null> {
  const response = await fetch(`${url}${PROBE}`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    (error: unknown) => {
      const reason = networkCodeOf(error) ?? (error instanceof Error ? error.message : String(error));
      const advice = 'Check that the platform runs there.';
      throw new CommandError(`${url} does not respond (${reason}).`, EXIT_CODES.unavailable, advice);
    },
  );
  const body: unknown = await response.json().catch(() => null);
  if (typeof body !== 'object' || body === null) return null;
  if ('errorCode' in body) return 'platform API';
  return 'detail' in body ? 'control plane' : null;
}

/** Throws a CommandError if there is no response from the address, or if it is that of the other API. */
export async function checkAddress(url: string, expected: Api, option: string): Promise<void> {
  const found = await apiAt(url);
  if (found === null || found === expected) return;
  const advice = `Give the address of the ${expected} with ${option}.`;
  throw new CommandError(`${url} is the address of the ${found}, not of the ${expected}.`, EXIT_CODES.usage, advice);
}
