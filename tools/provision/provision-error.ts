/**
 * A failure the person at the terminal can mend. `message` is one line that says what is wrong;
 * `remedy` is one line that says what to do about it. Neither ever holds a password or a key.
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

/** The lines that a command prints before it exits with a failure. */
export function describeFailure(error: unknown): string {
  if (error instanceof ProvisionError) return `${error.message}\n  ${error.remedy}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Replaces the password of a connection URL, so that the URL may be shown. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#]*?:)[^@/?#]*@/i, '$1***@');
}

/** Refuses what is no address at all, without repeating it: it may hold a password. */
export function requireAddress(variable: string, address: string, example: string): void {
  const protocol = example.slice(0, example.indexOf(':'));
  if (URL.canParse(address) && new URL(address).protocol.startsWith(protocol)) return;
  throw new ProvisionError(`${variable} is not an address of the expected kind.`, `It looks like ${example}.`);
}
