import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Post } from '@nestjs/common';
import { ApiResponse, type OpenAPIObject } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { AnyKey, Public, RequireScope } from '../routes/access.js';
import { buildDocument } from './openapi.js';

@Controller('things')
class ThingsController {
  @Get('open')
  @Public()
  open(): void {}

  @Post('signed')
  @Public()
  @ApiResponse({ status: 401, description: 'No valid signature' })
  signed(): void {}

  @Get('any')
  @AnyKey()
  any(): void {}

  @Get('scoped')
  @RequireScope('tasks:read')
  scoped(): void {}
}

async function documentOf(controller: new () => object): Promise<OpenAPIObject> {
  const module = await Test.createTestingModule({ controllers: [controller] }).compile();
  const errorSchemas = { plain: {}, validation: {} };
  return buildDocument(module.createNestApplication(), {
    title: 'Things',
    description: '',
    version: '1',
    keyScheme: 'bearer',
    errorSchemas,
  });
}

describe('the published document', () => {
  it('names the refusals of a missing key or scope where a key is asked for, and nowhere else', async () => {
    const { paths } = await documentOf(ThingsController);
    const refusals = Object.entries(paths).map(([path, { get, post }]) => {
      const statuses = Object.keys((get ?? post)?.responses ?? {});
      return [path, statuses.filter((status) => status === '401' || status === '403')];
    });
    expect(Object.fromEntries(refusals)).toEqual({
      '/things/open': [],
      '/things/signed': ['401'],
      '/things/any': ['401', '403'],
      '/things/scoped': ['401', '403'],
    });
  });
});
