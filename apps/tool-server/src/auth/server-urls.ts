/** The addresses of this tool server, as clients reach it. */
export class ServerUrls {
  /** @param base without a trailing slash */
  constructor(readonly base: string) {}

  /** The identifier of this server in access tokens and metadata (RFC 8707, RFC 9728). */
  get resource(): string {
    return `${this.base}/mcp`;
  }

  get resourceMetadata(): string {
    const { origin, pathname } = new URL(this.resource);
    return `${origin}/.well-known/oauth-protected-resource${pathname}`;
  }

  get hostname(): string {
    return new URL(this.base).hostname;
  }
}
