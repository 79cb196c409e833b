import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { SecretsConfig } from '@app/config';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { secretsKeyMissing } from './secret.errors.js';
import type { SealedSecret } from './secret.types.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_LENGTH = 16;

/**
 * Encrypts the values of secrets with AES-256-GCM. The bytes are nonce, tag, ciphertext. Organization and name are
 * authenticated as well, so a value that is moved to another row cannot be opened.
 */
@Injectable()
export class SecretVault {
  constructor(private readonly config: SecretsConfig) {}

  /** Throws `secrets_key_missing` without SECRETS_KEY. */
  seal(scope: Scope, name: string, value: string): SealedSecret {
    const { key } = this.config;
    if (key === null) throw secretsKeyMissing();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(placeOf(scope, name));
    const bytes = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
    return { sealed: Buffer.concat([nonce, cipher.getAuthTag(), bytes]), key_id: keyIdOf(key) };
  }

  /** Returns the value; undefined if it was sealed with another key, or for another organization or name. */
  open(scope: Scope, name: string, { sealed, key_id: keyId }: SealedSecret): string | undefined {
    const key = [this.config.key, this.config.previousKey].find((known) => known !== null && keyIdOf(known) === keyId);
    if (key == null) return undefined;
    const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    try {
      const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(placeOf(scope, name)).setAuthTag(tag);
      const bytes = [decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
      return Buffer.concat(bytes).toString('utf8');
    } catch {
      return undefined;
    }
  }

  /**
   * Id of the previous key, whose secrets must be encrypted again; undefined if there is no previous or no current key.
   */
  get outdatedKeyId(): string | undefined {
    const { key, previousKey } = this.config;
    return key === null || previousKey === null || key.equals(previousKey) ? undefined : keyIdOf(previousKey);
  }
}

/** Returns an id of a key that does not reveal the key. */
function keyIdOf(key: Buffer): string {
  return createHmac('sha256', key).update('id of a key of secrets').digest('hex').slice(0, KEY_ID_LENGTH);
}

function placeOf({ organizationId }: Scope, name: string): Buffer {
  return Buffer.from(JSON.stringify(['secret', organizationId, name]));
}
