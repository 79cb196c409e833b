import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { parseExactJson } from '@app/kernel';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const SALT_BYTES = 16;
const TAG_BYTES = 16;

/**
 * Encrypts a response for the holder of this API key: AES-256-GCM, with key and nonce derived from the API key
 * (HKDF-SHA-256) and a random salt. `place` identifies the request and is authenticated as well, so the result cannot
 * be opened for another request. The platform stores only hashes of API keys, so the database alone cannot decrypt it.
 * The bytes are salt, tag, ciphertext.
 */
export function sealResponse(body: unknown, apiKey: string, place: string): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const { key, nonce } = derive(apiKey, salt);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(body)), cipher.final()]);
  return Buffer.concat([salt, cipher.getAuthTag(), sealed]);
}

/** Returns the response, or undefined if it was sealed with another API key or for another `place`. */
export function openResponse(bytes: Buffer, apiKey: string, place: string): { readonly body: unknown } | undefined {
  const [salt, tag] = [bytes.subarray(0, SALT_BYTES), bytes.subarray(SALT_BYTES, SALT_BYTES + TAG_BYTES)];
  const { key, nonce } = derive(apiKey, salt);
  const decipher = createDecipheriv(CIPHER, key, nonce).setAAD(Buffer.from(place)).setAuthTag(tag);
  try {
    const opened = Buffer.concat([decipher.update(bytes.subarray(SALT_BYTES + TAG_BYTES)), decipher.final()]);
    return { body: parseExactJson(opened.toString()) };
  } catch {
    return undefined;
  }
}

function derive(apiKey: string, salt: Buffer): { readonly key: Buffer; readonly nonce: Buffer } {
  const bytes = Buffer.from(hkdfSync('sha256', apiKey, salt, 'idempotent answer', KEY_BYTES + NONCE_BYTES));
  return { key: bytes.subarray(0, KEY_BYTES), nonce: bytes.subarray(KEY_BYTES) };
}
