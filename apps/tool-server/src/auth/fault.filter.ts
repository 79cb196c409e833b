import { createLogger } from '@app/observability';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { AuthorizationServerFault } from './authorization-server.js';
import { challengeHeader, OAuthFault, oauthErrorBody } from './oauth-fault.js';
import { ServerUrls } from './server-urls.js';

const RETRY_AFTER_SECONDS = '5';

/** The responses to requests that are rejected before they reach the MCP package. */
@Catch()
export class FaultFilter implements ExceptionFilter {
  private readonly logger = createLogger('tool-server');

  constructor(private readonly urls: ServerUrls) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error instanceof OAuthFault) {
      const { status } = error.challenge;
      this.logger.info({ status, reason: error.message }, 'request rejected');
      const header = challengeHeader(error, this.urls.resourceMetadata);
      response.status(status).setHeader('WWW-Authenticate', header).json(oauthErrorBody(error));
    } else if (error instanceof AuthorizationServerFault) {
      this.logger.error({ reason: error.message }, 'authorization server not available');
      const body = { error: 'temporarily_unavailable', error_description: error.message };
      response.status(503).setHeader('Retry-After', RETRY_AFTER_SECONDS).json(body);
    } else if (error instanceof HttpException) {
      response.status(error.getStatus()).json({ error: error.message });
    } else {
      this.logger.error({ err: error }, 'request failed');
      response.status(500).json({ error: 'The request failed because of an internal error' });
    }
  }
}
