import { EnvVar } from './env-var.js';
import { integer } from './parsers.js';

/** What a new organization gets. */
export class ProvisioningConfig {
  @EnvVar('DEFAULT_QUEUE_HEARTBEAT_SECONDS', integer({ min: 10, max: 300 }), {
    default: 60,
    doc: 'Heartbeat interval of the worker queue default of a new organization, in seconds. npm start: 10.',
  })
  readonly heartbeatSeconds!: number;
}
