import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Parser } from './env-var.js';

/** The content of a PEM file with certificates, read at start. */
export const certificateFile: Parser<string> = (path) => {
  const pem = contentOf(path);
  try {
    return new X509Certificate(pem) && pem;
  } catch {
    throw new Error(`expected a PEM file with certificates, got ${path}`);
  }
};

/** The content of a PEM file with a private key without a passphrase, read at start. */
export const privateKeyFile: Parser<string> = (path) => {
  const pem = contentOf(path);
  try {
    return createPrivateKey(pem) && pem;
  } catch {
    throw new Error(`expected a PEM file with a private key without a passphrase, got ${path}`);
  }
};

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
