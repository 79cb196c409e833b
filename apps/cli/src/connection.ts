import {
  createControlPlaneClient,
  createPlatformApiClient,
  type ControlPlaneClient,
  type PlatformApiClient,
} from '@app/api-client';
import type { CommandContext } from './context.js';
import { CommandError, EXIT_CODES } from './errors.js';
import type { Profile } from './profiles.js';

/** Fewer attempts than the default of the client, because a person is waiting. */
const RETRIES = { retries: 2, baseDelayMs: 200, maxDelayMs: 2000 };

/** The clients of one profile. */
export class Connection {
  readonly controlPlane: ControlPlaneClient;
  private readonly platform: PlatformApiClient | null;

  constructor(
    readonly profile: Profile,
    warn: (message: string) => void,
  ) {
    const { control_plane_url: baseUrl, platform_api_url: platformUrl, api_key: apiKey } = profile;
    const onIgnoredFields = ({ fields }: { readonly fields: readonly string[] }): void =>
      warn(`The platform does not know these fields and ignored them: ${fields.join(', ')}`);
    const onNotice = ({ notice }: { readonly notice: string }): void => warn(notice);
    const options = { apiKey, retries: RETRIES, onIgnoredFields, onNotice, exactNumbers: true };
    this.controlPlane = createControlPlaneClient({ ...options, baseUrl });
    this.platform = platformUrl === null ? null : createPlatformApiClient({ ...options, baseUrl: platformUrl });
  }

  get platformApi(): PlatformApiClient {
    if (this.platform !== null) return this.platform;
    throw new CommandError(
      'This command needs the address of the platform API, which is not known.',
      EXIT_CODES.config,
      'Set AGENTCTL_PLATFORM_API_URL, or sign in with both addresses: agentctl login --platform-api-url URL',
    );
  }
}

/** Returns the clients of the selected profile. Throws a CommandError if there is none. */
export function connect({ profiles, profileName, terminal }: CommandContext): Connection {
  const profile = profiles.select(profileName, terminal.env);
  return new Connection(profile, (message) => terminal.note(message));
}
