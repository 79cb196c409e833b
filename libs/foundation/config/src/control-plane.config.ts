import { EnvVar } from './env-var.js';
import { address, flag, integer, oneOf, port, text } from './parsers.js';

/** Address and role of a control plane process. */
export class ControlPlaneConfig {
  @EnvVar('CONTROL_PLANE_PORT', port, { default: 3000, doc: 'Port of the control plane.' })
  readonly port!: number;

  @EnvVar('CONTROL_PLANE_HOST', text(), { default: '127.0.0.1', doc: 'Address the control plane listens on.' })
  readonly host!: string;

  @EnvVar('CONTROL_PLANE_METRICS_PORT', port, {
    default: null,
    doc: 'Separate port for `/metrics`, at CONTROL_PLANE_HOST. Default: CONTROL_PLANE_PORT serves `/metrics`. With several CONTROL_PLANE_PROCESSES, the first port of as many.',
  })
  readonly metricsPort!: number | null;

  @EnvVar('CONTROL_PLANE_ROLE', oneOf(['all', 'http', 'dispatcher']), {
    default: 'all',
    doc: 'Role of the process. http: serves requests. dispatcher: runs background work (outbox, recovery, pruning). all: both.',
  })
  readonly role!: 'all' | 'http' | 'dispatcher';

  @EnvVar('CONTROL_PLANE_PROCESSES', integer({ min: 1, max: 64 }), {
    default: 1,
    doc: 'Number of processes that accept the connections of CONTROL_PLANE_PORT, for machines with more cores. Each has its own pools and limits.',
  })
  readonly processes!: number;

  @EnvVar('PUBLIC_URL', address(['http', 'https']), {
    default: null,
    doc: 'URL under which clients reach the control plane (webhook URLs, worker configuration). Default: its own address.',
  })
  readonly publicUrl!: string | null;

  @EnvVar('PLATFORM_API_URL', address(['http', 'https']), {
    default: null,
    doc: 'URL of the platform API, to which the web console sends requests for keys. The control plane reports to clients whether it is set. Default: none.',
  })
  readonly platformApiUrl!: string | null;

  @EnvVar('PUBLIC_PLATFORM_API_URL', address(['http', 'https']), {
    default: null,
    doc: 'URL under which clients reach the platform API; the control plane reports it to them. Default: none.',
  })
  readonly publicPlatformApiUrl!: string | null;

  @EnvVar('CONSOLE_ENABLED', flag, {
    default: true,
    doc: 'Whether the control plane serves the web console at `/console/`: true or false.',
  })
  readonly hasConsole!: boolean;
}
