import { AnyKey, RawBody, Summary, type WireRequest } from '@app/http';
import { Controller, Delete, Get, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { PLATFORM_PATH, PlatformForwarder } from './platform.forwarder.js';

/** The routes for keys of the platform API, for the console. They are documented there. */
@ApiExcludeController()
@Controller(`${PLATFORM_PATH}/api/v1/auth/keys`)
export class PlatformKeysController {
  constructor(private readonly platform: PlatformForwarder) {}

  @Get()
  @Summary('Lists keys, through the platform API.')
  @AnyKey()
  async list(@Req() request: Request & WireRequest, @Res() response: Response): Promise<void> {
    return this.platform.forward(request, response);
  }

  @Post()
  @Summary('Creates a key, through the platform API.')
  @AnyKey()
  @RawBody()
  async create(@Req() request: Request & WireRequest, @Res() response: Response): Promise<void> {
    return this.platform.forward(request, response);
  }

  @Patch(':key_id')
  @Summary('Updates a key, through the platform API.')
  @AnyKey()
  @RawBody()
  async update(@Req() request: Request & WireRequest, @Res() response: Response): Promise<void> {
    return this.platform.forward(request, response);
  }

  @Delete(':key_id')
  @Summary('Revokes a key, through the platform API.')
  @AnyKey()
  async revoke(@Req() request: Request & WireRequest, @Res() response: Response): Promise<void> {
    return this.platform.forward(request, response);
  }

  @Post(':key_id/rotate')
  @Summary('Rotates a key, through the platform API.')
  @AnyKey()
  @RawBody()
  async rotate(@Req() request: Request & WireRequest, @Res() response: Response): Promise<void> {
    return this.platform.forward(request, response);
  }
}
