import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface IssuedCertificate {
  /** Paths of PEM files. */
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority whose files are in a folder. */
export class CertificateAuthority {
  readonly cert: string;
  private readonly key: string;

  constructor(
    private readonly folder: string,
    private readonly name: string,
  ) {
    [this.cert, this.key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
    const subject = ['-subj', `/CN=${name}`, '-days', '2'];
    openssl('req', '-x509', ...NEW_KEY, '-keyout', this.key, '-out', this.cert, ...subject);
  }

  /** Issues a certificate for the address 127.0.0.1. */
  issue(name: string): IssuedCertificate {
    const [cert, key, request, extensions] = ['crt', 'key', 'csr', 'ext'].map((type) =>
      join(this.folder, `${this.name}-${name}.${type}`),
    ) as [string, string, string, string];
    writeFileSync(extensions, 'subjectAltName=IP:127.0.0.1\n');
    openssl('req', ...NEW_KEY, '-keyout', key, '-out', request, '-subj', `/CN=${name}`);
    const signer = ['-CA', this.cert, '-CAkey', this.key, '-CAcreateserial'];
    openssl('x509', '-req', '-in', request, ...signer, '-out', cert, '-days', '2', '-extfile', extensions);
    return { cert, key };
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}
