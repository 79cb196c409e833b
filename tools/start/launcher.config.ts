import { EnvVar, flag, port, text } from '@app/config';

/** The settings that `npm start` itself reads, in addition to those of the apps. */
export class LauncherConfig {
  @EnvVar('DATA_DIR', text(), {
    default: '.data',
    doc: 'Folder for the data of `npm start`: databases, keys and logs.',
  })
  readonly dataDir!: string;

  @EnvVar('NATS_SERVER', flag, {
    default: false,
    doc: 'Whether `npm start` starts a NATS server with JetStream, unless NATS_URL names one.',
  })
  readonly natsServer!: boolean;

  @EnvVar('MODEL_GATEWAY_PORT', port, {
    default: 0,
    doc: 'Port of the development model gateway; 0 selects a free port.',
  })
  readonly modelGatewayPort!: number;
}
