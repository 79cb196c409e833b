import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandError, EXIT_CODES } from './errors.js';

/** A platform and the key for it. */
export interface Profile {
  readonly control_plane_url: string;
  /** null: the commands of the platform API (keys, users, tasks) are not available. */
  readonly platform_api_url: string | null;
  readonly api_key: string;
}

export interface StoredProfiles {
  /** The name of the profile in use. */
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

export const DEFAULT_PROFILE = 'default';
const LOGIN = 'Sign in first: agentctl login';

/** The profiles of the user, in a file that only the user can read. */
export class ProfileStore {
  private readonly folder: string;
  readonly file: string;

  constructor(env: NodeJS.ProcessEnv) {
    this.folder = join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'agentctl');
    this.file = join(this.folder, 'profiles.json');
  }

  read(): StoredProfiles {
    let content: string;
    try {
      content = readFileSync(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: DEFAULT_PROFILE, profiles: {} };
      throw configError(`Cannot read ${this.file}: ${(error as Error).message}`, 'Check its owner and mode.');
    }
    try {
      return parseProfiles(content);
    } catch {
      throw configError(`${this.file} is not a file of profiles.`, 'Remove it, then: agentctl login');
    }
  }

  /** Replaces the file atomically. The new file has mode 0600 from its creation, whatever the mode of the old one. */
  write(profiles: StoredProfiles): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const temporary = `${this.file}.${process.pid}`;
    writeFileSync(temporary, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
    chmodSync(temporary, 0o600);
    renameSync(temporary, this.file);
  }

  /**
   * Removes a profile, which must exist. If it is the current one, `default` becomes the current one; if there is no
   * `default`, any other. Returns the name of the profile that is now in use, `null` if there is none.
   */
  remove(name: string): string | null {
    const { current, profiles } = this.read();
    const { [name]: _removed, ...others } = profiles;
    const names = Object.keys(others);
    const successor = names.includes(DEFAULT_PROFILE) ? DEFAULT_PROFILE : names[0];
    const inUse = current === name ? successor : current;
    this.write({ current: inUse ?? DEFAULT_PROFILE, profiles: others });
    return inUse ?? null;
  }

  /**
   * Returns the named profile. Without a name: that of AGENTCTL_URL and AGENTCTL_API_KEY, else that of
   * AGENTCTL_PROFILE, else the current one. Throws a CommandError if it does not exist.
   */
  select(name: string | undefined, env: NodeJS.ProcessEnv): Profile {
    const fromEnvironment = name === undefined ? profileOf(env) : null;
    if (fromEnvironment !== null) return fromEnvironment;
    const { current, profiles } = this.read();
    const selected = name ?? (env['AGENTCTL_PROFILE'] || current);
    const profile = Object.hasOwn(profiles, selected) ? profiles[selected] : undefined;
    if (profile !== undefined) return profile;
    const names = Object.keys(profiles);
    if (names.length === 0) throw configError('There is no profile.', LOGIN);
    throw configError(`There is no profile "${selected}". Profiles: ${names.join(', ')}.`, LOGIN);
  }
}

function configError(message: string, advice: string): CommandError {
  return new CommandError(message, EXIT_CODES.config, advice);
}

function parseProfiles(content: string): StoredProfiles {
  const stored = JSON.parse(content) as StoredProfiles;
  const isComplete = Object.values(stored.profiles).every(
    ({ control_plane_url: url, api_key: key }) => typeof url === 'string' && typeof key === 'string',
  );
  if (!isComplete || typeof stored.current !== 'string') throw new TypeError('Incomplete');
  return stored;
}

/** The variables apply together: a key is never sent to an address that it was not given for. */
function profileOf(env: NodeJS.ProcessEnv): Profile | null {
  const [url = '', apiKey = ''] = [env['AGENTCTL_URL'], env['AGENTCTL_API_KEY']];
  if (url === '' && apiKey === '') return null;
  if (url === '' || apiKey === '') {
    const missing = url === '' ? 'AGENTCTL_URL' : 'AGENTCTL_API_KEY';
    throw configError(`${missing} is not set.`, 'Set AGENTCTL_URL and AGENTCTL_API_KEY together, or neither of them.');
  }
  const platformUrl = env['AGENTCTL_PLATFORM_API_URL'] ?? '';
  return {
    control_plane_url: normalizeUrl(url),
    platform_api_url: platformUrl === '' ? null : normalizeUrl(platformUrl),
    api_key: apiKey,
  };
}

/** Returns a normalized address, as the clients expect it. Throws a CommandError for anything but http and https. */
export function normalizeUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CommandError(
      `Not an address: ${value}`,
      EXIT_CODES.usage,
      'Give it with its scheme: https://platform.example',
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/api(\/v1)?$/, '');
}
