import { EnvVar, origin } from '@app/config';

/** The platform that the tool server calls. */
export class ToolServerPlatformConfig {
  @EnvVar('PLATFORM_API_URL', origin(['http', 'https']), { doc: 'URL of the platform API.' })
  readonly url!: string;
}
