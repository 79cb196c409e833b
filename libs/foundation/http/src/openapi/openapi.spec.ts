import { describe, expect, it } from '@jest/globals';
import { VERSION } from '@app/kernel';
import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiResponse, type OpenAPIObject } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { AnyKey, Public, RequireScope } from '../access/access.js';
import { PathRest } from '../routes/path-rest.js';
import { Returns } from '../routes/returns.js';
import { Summary } from '../routes/summary.js';
import { EnumField, StringField } from '../fields/fields.js';
import { ResponseTime } from '../fields/response-fields.js';
import { UuidParam } from '../routes/uuid-param.js';
import { buildDocument } from './openapi.js';

class Thing {
  @ResponseTime()
  readonly made_at!: string;

  @ResponseTime({ description: 'When it was put away' })
  readonly kept_at!: string;
}

class CreateThing {
  @StringField({ required: true })
  readonly name!: string;
}

class ChangeThing {
  @StringField({ alias: 'label' })
  readonly name?: string | null;
}

class ThingsQuery {
  @EnumField(['kept', 'gone'], { empty: 'keep', alias: 'status_filter' })
  readonly status?: string;
}

@Controller('things')
class WrittenThingsController {
  @Get()
  @Public()
  list(@Query() _query: ThingsQuery): void {}

  @Post()
  @Public()
  create(@Body() _body: CreateThing): void {}

  @Post(':name/change')
  @Public()
  change(@Param('name') _name: string, @Body() _body: ChangeThing): void {}

  @Get('kept/:thing_id')
  @Public()
  read(@UuidParam('thing_id') _id: string): void {}

  @Delete('*name')
  @Public()
  delete(@PathRest('name', 'Name') _name: string): void {}
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
  @Returns(Thing)
  @AnyKey()
  any(): void {}

  @Get('scoped')
  @Summary('Reads what is scoped.')
  @RequireScope('tasks:read')
  scoped(): void {}
}

const THINGS_LEFT = { description: 'Things left', schema: { type: 'integer' } } as const;

async function documentOf(controller: new () => object): Promise<OpenAPIObject> {
  const module = await Test.createTestingModule({ controllers: [controller] }).compile();
  const errorSchemas = { plain: {}, validation: {} };
  return buildDocument(
    module.createNestApplication(),
    {
      title: 'Things',
      description: '',
      keyScheme: 'bearer',
      errorSchemas,
      tags: { things: 'Things of all kinds' },
      parameters: { name: 'Name of the thing' },
      glossary: { made_at: 'When it was made', kept_at: 'When it was kept' },
      headers: { 'X-Things-Left': THINGS_LEFT },
    },
    { url: 'http://things.test', description: 'Test' },
  );
}

describe('the published document', () => {
  it('lists the responses 401 and 403 exactly for the operations that require a key', async () => {
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

  it('lists no 404 and no body errors for a public route without parameters and body', async () => {
    const { paths } = await documentOf(ThingsController);
    expect(Object.keys(paths['/things/open']?.get?.responses ?? {})).toEqual(['200', '400', '422', '503']);
    expect(Object.keys(paths['/things/named/{name}']?.get?.responses ?? {})).toContain('404');
    expect(Object.keys(paths['/things/signed']?.post?.responses ?? {})).toContain('415');
  });

  it('shares one response for each error status, and lists no body errors for a read', async () => {
    const { paths, components } = await documentOf(ThingsController);
    expect(paths['/things/signed']?.post?.responses).toMatchObject({
      '401': { description: 'No valid signature' },
      '422': { $ref: '#/components/responses/ValidationFailed' },
    });
    expect(components?.responses?.['ValidationFailed']).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/ValidationError' } } },
    });
    const ofRead = Object.keys(paths['/things/scoped']?.get?.responses ?? {});
    expect(ofRead).toEqual(['200', '400', '401', '403', '404', '409', '422', '429', '503']);
  });

  it('declares X-Error-Code on every error response, and on no other', async () => {
    const { paths, components } = await documentOf(ThingsController);
    const reference = { $ref: '#/components/headers/X-Error-Code' };
    expect(components?.headers).toMatchObject({
      'X-Error-Code': { schema: { enum: expect.arrayContaining(['job_not_found', 'route_not_found']) } },
    });
    for (const shared of Object.values(components?.responses ?? {})) {
      expect(shared).toMatchObject({ headers: { 'X-Error-Code': reference } });
    }
    const own = paths['/things/signed']?.post?.responses['401'];
    expect(own).toMatchObject({ description: 'No valid signature', headers: { 'X-Error-Code': reference } });
    expect(paths['/things/any']?.get?.responses['200']).not.toHaveProperty(['headers', 'X-Error-Code']);
  });

  it('declares Retry-After on the errors that may be retried, and common headers on every response', async () => {
    const { paths, components } = await documentOf(ThingsController);
    expect(components?.headers).toMatchObject({ 'Retry-After': {}, 'X-Things-Left': THINGS_LEFT });
    const responses = Object.values(paths).flatMap(({ get, post }) => Object.values((get ?? post)?.responses ?? {}));
    for (const response of [...responses, ...Object.values(components?.responses ?? {})]) {
      if (response === undefined || '$ref' in response) continue;
      expect(response.headers).toMatchObject({ 'X-Things-Left': { $ref: '#/components/headers/X-Things-Left' } });
    }
    const retryable = Object.entries(components?.responses ?? {}).flatMap(([name, response]) =>
      '$ref' in response || response.headers?.['Retry-After'] === undefined ? [] : [name],
    );
    expect(retryable).toEqual(['TooManyRequests', 'ServiceUnavailable']);
  });

  it('declares an empty list of security schemes on public operations, and the API key on all others', async () => {
    const { paths } = await documentOf(ThingsController);
    expect(paths['/things/open']?.get?.security).toEqual([]);
    expect(paths['/things/any']?.get?.security).toEqual([{ key: [] }]);
  });

  it('names its license and its servers, and describes its tags', async () => {
    const { info, servers, tags } = await documentOf(ThingsController);
    expect(info).toEqual({
      title: 'Things',
      version: VERSION,
      description: expect.any(String),
      license: { name: 'Apache 2.0', url: expect.stringContaining('apache.org') },
    });
    expect(servers?.map(({ url }) => url)).toEqual(['http://things.test']);
    expect(tags).toMatchObject([{ name: 'things', description: 'Things of all kinds' }]);
  });

  it('describes successful responses and path parameters that have no description of their own', async () => {
    const { paths } = await documentOf(ThingsController);
    expect(paths['/things/any']?.get?.responses['200']).toMatchObject({ description: 'Success' });
    expect(paths['/things/named/{name}']?.get?.parameters).toMatchObject([{ description: 'Name of the thing' }]);
  });

  it('states for each operation what it does and which scope it requires', async () => {
    const { paths } = await documentOf(ThingsController);
    expect(paths['/things/open']?.get).toMatchObject({ description: 'No API key required.' });
    expect(paths['/things/any']?.get).toMatchObject({
      description: 'Required scope: none. Any valid API key is accepted.',
    });
    expect(paths['/things/scoped']?.get).toMatchObject({
      operationId: 'things_scoped',
      summary: 'Reads what is scoped.',
      description: 'Required scope: `tasks:read`.',
    });
  });

  it('uses the glossary for fields without a description', async () => {
    const { components } = await documentOf(ThingsController);
    expect(components?.schemas?.['Thing']).toMatchObject({
      properties: { made_at: { description: 'When it was made' }, kept_at: { description: 'When it was put away' } },
    });
  });

  it('declares the API key as the bearer token, not a JWT', async () => {
    const { components } = await documentOf(ThingsController);
    expect(components?.securitySchemes).toEqual({
      key: { type: 'http', scheme: 'bearer', description: expect.stringMatching(/^API key, sent as `Bearer <key>`/) },
    });
  });

  it('describes each path parameter, including one that takes the rest of the path', async () => {
    const { paths } = await documentOf(WrittenThingsController);
    expect(paths['/things/{name}/change']?.post?.parameters).toMatchObject([{ name: 'name', in: 'path' }]);
    expect(paths['/things/{name}']?.delete?.parameters).toMatchObject([{ name: 'name', in: 'path', required: true }]);
    expect(paths['/things/kept/{thing_id}']?.get?.parameters).toMatchObject([
      { name: 'thing_id', in: 'path', schema: { format: 'uuid' } },
    ]);
  });

  it('requires a body only if at least one of its fields is required', async () => {
    const { paths } = await documentOf(WrittenThingsController);
    expect(paths['/things']?.post?.requestBody).toMatchObject({ required: true });
    expect(paths['/things/{name}/change']?.post?.requestBody).toMatchObject({ required: false });
  });

  it('describes the alias of a field as well', async () => {
    const { paths, components } = await documentOf(WrittenThingsController);
    expect(paths['/things']?.get?.parameters).toMatchObject([
      { name: 'status', schema: { enum: ['kept', 'gone'] } },
      { name: 'status_filter', schema: { enum: ['kept', 'gone'] }, description: 'Alias of `status`' },
    ]);
    expect(components?.schemas?.['ChangeThing']).toMatchObject({
      properties: { name: {}, label: { type: ['string', 'null'], description: 'Alias of `name`' } },
    });
  });
});
