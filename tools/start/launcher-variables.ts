import { EnvVar, port, text } from '@app/config';

/** What `npm start` itself reads, beside what it hands to the servers. */
export class LauncherVariables {
  @EnvVar('DATA_DIR', text(), { default: '.data', doc: 'Folder of everything `npm start` keeps: stores, keys, logs.' })
  readonly dataDir!: string;

  @EnvVar('MODEL_GATEWAY_PORT', port, { default: 0, doc: 'Port of the development model gateway; 0: any free one.' })
  readonly modelGatewayPort!: number;
}
