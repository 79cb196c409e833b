/** A host and port that a URL with several hosts names. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** The parts before the `@` of a URL; undefined if they are empty or missing. */
export interface UrlCredentials {
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** Parses `host:port,host,[::1]:port`. */
export function hostsOf(hosts: string, defaultPort: number): HostAndPort[] {
  return hosts.split(',').map((each) => {
    const [, host, port] = /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(each.trim()) ?? [];
    if (host === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) {
      throw new Error('expected host:port, separated by commas');
    }
    return { host: withoutBrackets(host), port: Number(port ?? defaultPort) };
  });
}

export function credentialsOf(userInfo: string | undefined): UrlCredentials {
  if (userInfo === undefined) return { username: undefined, password: undefined };
  const end = userInfo.indexOf(':');
  const username = end < 0 ? userInfo : userInfo.slice(0, end);
  return {
    username: decoded(username, 'user') || undefined,
    password: end < 0 ? undefined : decoded(userInfo.slice(end + 1), 'password') || undefined,
  };
}

/** Decodes a part of a URL. The error does not repeat it. */
export function decoded(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`expected a percent-encoded ${part}`);
  }
}

export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
