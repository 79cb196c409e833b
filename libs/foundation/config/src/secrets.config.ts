import { EnvVar } from './env-var.js';
import { base64Key } from './parsers.js';

/** The keys that encrypt stored secrets. All control planes need the same ones. */
export class SecretsConfig {
  @EnvVar('SECRETS_KEY', base64Key, {
    default: null,
    doc:
      'Key that encrypts stored secrets: 32 bytes in base64 (`openssl rand -base64 32`). Without it no secret can be stored ' +
      'or used. `npm start` generates one in its data folder.',
  })
  readonly key!: Buffer | null;

  @EnvVar('SECRETS_KEY_PREVIOUS', base64Key, {
    default: null,
    doc:
      'Second key, while SECRETS_KEY is replaced. Secrets encrypted with it stay readable and are encrypted again with ' +
      'SECRETS_KEY in the background.',
  })
  readonly previousKey!: Buffer | null;
}
