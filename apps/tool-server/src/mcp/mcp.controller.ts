import { toNodeHandler, type NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import { All, Controller, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { AccessGuard, type AuthenticatedRequest } from '../auth/access.guard.js';
import { McpEndpoint } from './mcp-endpoint.js';

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
    return this.handler(request, response);
  }
}
