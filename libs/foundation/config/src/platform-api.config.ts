import { EnvVar } from './env-var.js';
import { address, port, text } from './parsers.js';

/** Address of the platform API. */
export class PlatformApiConfig {
  @EnvVar('PLATFORM_API_PORT', port, { default: 3001, doc: 'Port of the platform API.' })
  readonly port!: number;

  @EnvVar('PLATFORM_API_HOST', text(), { default: '127.0.0.1', doc: 'Address the platform API listens on.' })
  readonly host!: string;

  @EnvVar('PLATFORM_API_METRICS_PORT', port, {
    default: null,
    doc: 'Separate port for `/metrics`, at PLATFORM_API_HOST. Default: PLATFORM_API_PORT serves `/metrics`.',
  })
  readonly metricsPort!: number | null;

  @EnvVar('PUBLIC_URL', address(['http', 'https']), {
    default: null,
    doc: 'URL under which clients reach the control plane, for errors that refer to it. Default: none.',
  })
  readonly controlPlaneUrl!: string | null;
}
