import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiResponse, type OpenAPIObject } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { AnyKey, Public, RequireScope } from '../routes/access.js';
import { Answers } from '../routes/answers.js';
import { Summary } from '../routes/summary.js';
import { OutTime } from '../wire/response-fields.js';
import { buildDocument } from './openapi.js';

class Thing {
  @OutTime()
  readonly made_at!: string;

  @OutTime({ description: 'When it was put away' })
  readonly kept_at!: string;
}

@Controller('things')
class ThingsController {
  @Get('open')
  @Public()
  open(): void {}

  @Post('signed')
  @Public()
  @ApiResponse({ status: 401, description: 'No valid signature' })
  signed(): void {}

  @Get('named/:name')
  @Public()
  named(@Param('name') _name: string): void {}

  @Get('any')
  @Answers(Thing)
  @AnyKey()
  any(): void {}

  @Get('scoped')
  @Summary('Reads what is scoped.')
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
    glossary: { made_at: 'When it was made', kept_at: 'When it was kept' },
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
      '/things/named/{name}': [],
      '/things/any': ['401', '403'],
      '/things/scoped': ['401', '403'],
    });
  });

  it('names no refusal for want of a thing or for a body where a public route takes neither', async () => {
    const { paths } = await documentOf(ThingsController);
    expect(Object.keys(paths['/things/open']?.get?.responses ?? {})).toEqual(['200', '400', '422', '503']);
    expect(Object.keys(paths['/things/named/{name}']?.get?.responses ?? {})).toContain('404');
    expect(Object.keys(paths['/things/signed']?.post?.responses ?? {})).toContain('415');
  });

  it('says of each operation what it does and which key it needs', async () => {
    const { paths } = await documentOf(ThingsController);
    expect(paths['/things/open']?.get).toMatchObject({ description: 'Needs no key.' });
    expect(paths['/things/any']?.get).toMatchObject({ description: 'Needs a valid key, whatever its scopes.' });
    expect(paths['/things/scoped']?.get).toMatchObject({
      operationId: 'things_scoped',
      summary: 'Reads what is scoped.',
      description: 'Needs `tasks:read`.',
    });
  });

  it('describes a field without words of its own by the glossary', async () => {
    const { components } = await documentOf(ThingsController);
    expect(components?.schemas?.['Thing']).toMatchObject({
      properties: { made_at: { description: 'When it was made' }, kept_at: { description: 'When it was put away' } },
    });
  });

  it('asks for a key of its own kind, not for a JWT', async () => {
    const { components } = await documentOf(ThingsController);
    expect(components?.securitySchemes).toEqual({
      key: { type: 'http', scheme: 'bearer', description: 'Bearer <API_KEY>' },
    });
  });
});
