import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Parser } from './env-var.js';

/** The content of a PEM file with certificates, read at start. */
export const certificateFile: Parser<string> = (path) =>
  parsedBy((pem) => new X509Certificate(pem), path, 'certificates');

/** The content of a PEM file with a private key without a passphrase, read at start. */
export const privateKeyFile: Parser<string> = (path) =>
  parsedBy(createPrivateKey, path, 'a private key without a passphrase');

/** Returns the content of the file if it can be parsed. */
function parsedBy(parse: (pem: string) => unknown, path: string, expected: string): string {
  const pem = contentOf(path);
  try {
    parse(pem);
  } catch {
    throw new Error(`expected a PEM file with ${expected}, got ${path}`);
  }
  return pem;
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
