import { EnvVar } from './env-var.js';
import { port, text } from './parsers.js';

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
}
