import { randomBase62 } from './ids.js';

const PREFIX = 'whsec_';
const BYTES = 32;

/** Returns a random secret in the form of Standard Webhooks 1.0: base64 after the prefix `whsec_`. */
export function newSigningSecret(): string {
  return PREFIX + Buffer.from(randomBase62(BYTES), 'latin1').toString('base64');
}
