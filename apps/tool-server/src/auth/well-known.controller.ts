import { Controller, Get, Header, Inject, NotFoundException } from '@nestjs/common';
import { ToolServerIdentityConfig } from '@app/config';
import { AuthorizationServer, type Metadata } from './authorization-server.js';
import { ServerUrls } from './server-urls.js';

/** The authorization server; null in simple mode. */
export const AUTHORIZATION_SERVER = 'authorization-server';
const SCOPES = ['read', 'write', 'execute', 'admin'];
const SIMPLE_MODE = 'This tool server has no authorization server (simple mode)';

/** How clients find the authorization server: RFC 9728, and RFC 8414 for older clients. Readable by every web page. */
@Controller('.well-known')
export class WellKnownController {
  constructor(
    private readonly urls: ServerUrls,
    private readonly identity: ToolServerIdentityConfig,
    @Inject(AUTHORIZATION_SERVER) private readonly server: AuthorizationServer | null,
  ) {}

  @Get(['oauth-protected-resource', 'oauth-protected-resource/*path'])
  @Header('Access-Control-Allow-Origin', '*')
  async protectedResource(): Promise<object> {
    const { issuer } = await this.metadata();
    return {
      resource: this.urls.resource,
      resource_name: 'Workflows of the agent platform',
      authorization_servers: [issuer],
      scopes_supported: [...new Set([...SCOPES, ...this.identity.requiredScopes])],
      bearer_methods_supported: ['header'],
    };
  }

  @Get('oauth-authorization-server')
  @Header('Access-Control-Allow-Origin', '*')
  authorizationServer(): Promise<Metadata> {
    return this.metadata();
  }

  private async metadata(): Promise<Metadata> {
    if (this.server === null) throw new NotFoundException(SIMPLE_MODE);
    return this.server.metadata();
  }
}
