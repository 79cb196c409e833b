import { AnyKey, RawBody, Summary, type WireRequest } from '@app/http';
import { Controller, Delete, Get, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CONSOLE_PATH } from './console-path.js';
import { PlatformKeysForwarder } from './platform-keys.forwarder.js';

const PREFIX = `${CONSOLE_PATH}/platform`;

/** The routes for keys of the platform API, for the console. They are documented there. */
@ApiExcludeController()
@Controller(`${PREFIX}/api/v1/auth/keys`)
export class PlatformKeysController {
  constructor(private readonly forwarder: PlatformKeysForwarder) {}

  @Get()
  @Summary('Lists keys, through the platform API.')
  @AnyKey()
  async list(@Req() request: Request & WireRequest, @Res() response: Response): Promise<void> {
    return this.forward(request, response);
  }

  @Post()
  @Summary('Creates a key, through the platform API.')
  @AnyKey()
  @RawBody()
  async create(@Req() request: Request & WireRequest, @Res() response: Response): Promise<void> {
    return this.forward(request, response);
  }

  @Patch(':key_id')
  @Summary('Updates a key, through the platform API.')
  @AnyKey()
  @RawBody()
  async update(@Req() request: Request & WireRequest, @Res() response: Response): Promise<void> {
    return this.forward(request, response);
  }

  @Delete(':key_id')
  @Summary('Revokes a key, through the platform API.')
  @AnyKey()
  async revoke(@Req() request: Request & WireRequest, @Res() response: Response): Promise<void> {
    return this.forward(request, response);
  }

  @Post(':key_id/rotate')
  @Summary('Rotates a key, through the platform API.')
  @AnyKey()
  @RawBody()
  async rotate(@Req() request: Request & WireRequest, @Res() response: Response): Promise<void> {
    return this.forward(request, response);
  }

  private async forward(request: Request & WireRequest, response: Response): Promise<void> {
    const { method, originalUrl, headers, rawBody = new Uint8Array(), apiKey = '' } = request;
    const path = originalUrl.slice(PREFIX.length);
    const {
      status,
      headers: sent,
      body,
    } = await this.forwarder.forward({
      method,
      path,
      headers,
      body: rawBody,
      apiKey,
    });
    response.status(status).set({ ...sent, 'Cache-Control': 'no-store' });
    response.end(Buffer.from(body));
  }
}
