/**
 * A failure that the operator can fix. `message` is one line that names the problem, `remedy` one line that names the
 * solution. Neither may contain a password or a key.
 */
export class ProvisionError extends Error {
  constructor(
    message: string,
    readonly remedy: string,
  ) {
    super(message);
    this.name = 'ProvisionError';
  }
}

/** Returns the lines that a command prints before it exits with a failure. */
export function describeFailure(error: unknown): string {
  if (error instanceof ProvisionError) return `${error.message}\n  ${error.remedy}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Replaces the password of a connection URL, so that the URL can be printed. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#]*?:)[^@/?#]*@/i, '$1***@');
}

/**
 * Throws if a setting is not a URL with the protocol of `example`. The message omits the value: it may contain a
 * password.
 */
export function requireAddress(variable: string, address: string, example: string): void {
  const protocol = example.slice(0, example.indexOf(':'));
  if (URL.canParse(address) && new URL(address).protocol.startsWith(protocol)) return;
  throw new ProvisionError(`${variable} is not a valid URL.`, `Expected the form ${example}.`);
}
