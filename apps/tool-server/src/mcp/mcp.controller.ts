import { toNodeHandler, type NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import { All, Controller, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { AccessGuard, type AuthenticatedRequest } from '../auth/access.guard.js';
import { BODY_TOO_LARGE, MAX_BODY_BYTES, McpEndpoint } from './mcp-endpoint.js';

/** Larger bodies are not read. */
const MAX_DISCARDED_BYTES = 16 * MAX_BODY_BYTES;

/** MCP over streamable HTTP. The package answers other methods than POST with 405. */
@Controller()
@UseGuards(AccessGuard)
export class McpController {
  private readonly handler: NodeMcpRequestHandler;

  constructor(endpoint: McpEndpoint) {
    this.handler = toNodeHandler(endpoint);
  }

  @All(['/', 'mcp'])
  handle(@Req() request: AuthenticatedRequest, @Res() response: Response): Promise<void> {
    // The package closes the connection of a body that is too large without reading it, so that most clients see a failed
    // connection instead of the response. Otherwise Node reads and discards the body after the response.
    const size = Number(request.headers['content-length']);
    if (size > MAX_BODY_BYTES && size <= MAX_DISCARDED_BYTES) {
      response.status(413).json(BODY_TOO_LARGE);
      return Promise.resolve();
    }
    return this.handler(request, response);
  }
}
