import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
  type AuthInfo,
} from '@modelcontextprotocol/server';
import { ForbiddenException, Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ServerUrls } from './server-urls.js';
import { TokenVerifier, type VerifiedToken } from './token-verifier.js';

/** The verifier of access tokens; null in simple mode. */
export const TOKEN_VERIFIER = 'token-verifier';
/** Hosts whose web pages may call the server, besides its own. */
export const ALLOWED_ORIGINS = 'allowed-origins';

/** A request with the token of its caller. The MCP package hands `auth` to the tools. */
export type AuthenticatedRequest = Request & { auth?: AuthInfo };

/**
 * Rejects requests of foreign web pages (DNS rebinding), and with an authorization server, requests without a valid
 * token. Runs before the body is read.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly hosts: string[];
  private readonly origins: string[];

  constructor(
    urls: ServerUrls,
    @Inject(ALLOWED_ORIGINS) origins: readonly string[],
    @Inject(TOKEN_VERIFIER) private readonly verifier: TokenVerifier | null,
  ) {
    this.hosts = [...localhostAllowedHostnames(), urls.hostname];
    this.origins = [...localhostAllowedOrigins(), urls.hostname, ...origins];
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const { host, origin, authorization } = request.headers;
    const hostCheck = validateHostHeader(host, this.hosts);
    if (!hostCheck.ok) throw new ForbiddenException(`${hostCheck.message}. Set TOOL_SERVER_URL to the URL of clients`);
    const originCheck = validateOriginHeader(origin, this.origins);
    if (!originCheck.ok) throw new ForbiddenException(`${originCheck.message}. Allowed ones: TOOL_SERVER_ORIGINS`);
    if (this.verifier !== null) {
      const token = tokenIn(authorization);
      if (token === undefined) throw this.verifier.missing();
      request.auth = toAuthInfo(token, await this.verifier.verify(token));
    }
    return true;
  }
}

function tokenIn(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec((authorization ?? '').trim())?.[1];
}

function toAuthInfo(token: string, verified: VerifiedToken): AuthInfo {
  const { subject, scopes, expiresAt } = verified;
  return { token, clientId: subject, scopes: [...scopes], expiresAt, extra: { verified } };
}

/** Returns the verified token of a request; null in simple mode. */
export function verifiedToken(authInfo: AuthInfo | undefined): VerifiedToken | null {
  return (authInfo?.extra?.['verified'] as VerifiedToken | undefined) ?? null;
}
