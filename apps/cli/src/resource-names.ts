import type { CommandContext } from './context.js';
import { rowsOf } from './resource-client.js';
import type { Resource } from './resources.js';

/** A shell waits for its candidates: after this time it gets none. */
const TIMEOUT_MS = 1000;
/** Of many resources, the shell offers the first ones of the list. */
const LIMIT = 100;
/** Names that no shell splits or interprets. Others would have to be quoted, by each shell in its own way. */
const UNQUOTED = /^\w[\w.@%+:/-]*$/;

/**
 * Returns the names of the resources of a kind, or their ids if they have no names. Returns none if the platform cannot
 * be asked, for whatever reason: an error would appear within the line that the user edits.
 */
export async function namesOf(
  { list, api, pageSize, id = 'id', knownBy = ['name'] }: Resource,
  { profiles, profileName, terminal }: CommandContext,
): Promise<string[]> {
  try {
    const profile = profiles.select(profileName, terminal.env);
    const baseUrl = api === 'platform' ? profile.platform_api_url : profile.control_plane_url;
    if (baseUrl === null) return [];
    const scheme = api === 'platform' ? 'UserKey' : 'Bearer';
    const response = await fetch(`${baseUrl}${list}?${pageSize ?? 'limit'}=${LIMIT}`, {
      headers: { Authorization: `${scheme} ${profile.api_key}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const [field = id] = knownBy;
    const names = rowsOf(await response.json()).map((row) => String(row[field]));
    return response.ok ? names.filter((name) => UNQUOTED.test(name)) : [];
  } catch {
    return [];
  }
}

/** Returns the names of the stored profiles; none if their file cannot be read. */
export function profileNames({ profiles }: CommandContext): string[] {
  try {
    return Object.keys(profiles.read().profiles);
  } catch {
    return [];
  }
}
