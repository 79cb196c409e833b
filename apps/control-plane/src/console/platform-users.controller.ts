import { AnyKey, RawBody, Summary, type WireRequest } from '@app/http';
import { Controller, Delete, Get, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { PLATFORM_PATH, PlatformForwarder } from './platform.forwarder.js';

/** The routes for users of the platform API, for the console. They are documented there. */
@ApiExcludeController()
@Controller(`${PLATFORM_PATH}/api/v1/users`)
export class PlatformUsersController {
  constructor(private readonly platform: PlatformForwarder) {}

  @Get()
  @Summary('Lists users, through the platform API.')
  @AnyKey()
  async list(@Req() request: Request & WireRequest, @Res() response: Response): Promise<void> {
    return this.platform.forward(request, response);
  }

  @Post()
  @Summary('Creates a user, through the platform API.')
  @AnyKey()
  @RawBody()
  async create(@Req() request: Request & WireRequest, @Res() response: Response): Promise<void> {
    return this.platform.forward(request, response);
  }

  @Get(':id')
  @Summary('Returns a user, through the platform API.')
  @AnyKey()
  async read(@Req() request: Request & WireRequest, @Res() response: Response): Promise<void> {
    return this.platform.forward(request, response);
  }

  @Patch(':id')
  @Summary('Updates a user, through the platform API.')
  @AnyKey()
  @RawBody()
  async update(@Req() request: Request & WireRequest, @Res() response: Response): Promise<void> {
    return this.platform.forward(request, response);
  }

  @Delete(':id')
  @Summary('Deletes a user, through the platform API.')
  @AnyKey()
  async delete(@Req() request: Request & WireRequest, @Res() response: Response): Promise<void> {
    return this.platform.forward(request, response);
  }
}
