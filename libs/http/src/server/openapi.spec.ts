import { describe, expect, it } from '@jest/globals';
import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiResponse, type OpenAPIObject } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { AnyKey, PathRest, Public, RequireScope } from '../routes/access.js';
import { Answers } from '../routes/answers.js';
import { Summary } from '../routes/summary.js';
import { EnumField, StringField } from '../wire/fields.js';
import { OutTime } from '../wire/response-fields.js';
import { UuidParam } from '../routes/uuid-param.js';
import { buildDocument } from './openapi.js';

class Thing {
  @OutTime()
  readonly made_at!: string;

  @OutTime({ description: 'When it was put away' })
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
  delete(@PathRest('name') _name: string): void {}
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

  it('describes each part of a path that is to be filled in, the rest of a path included', async () => {
    const { paths } = await documentOf(WrittenThingsController);
    expect(paths['/things/{name}/change']?.post?.parameters).toMatchObject([{ name: 'name', in: 'path' }]);
    expect(paths['/things/{name}']?.delete?.parameters).toMatchObject([{ name: 'name', in: 'path', required: true }]);
    expect(paths['/things/kept/{thing_id}']?.get?.parameters).toMatchObject([
      { name: 'thing_id', in: 'path', schema: { format: 'uuid' } },
    ]);
  });

  it('asks for a body only where something in it is required', async () => {
    const { paths } = await documentOf(WrittenThingsController);
    expect(paths['/things']?.post?.requestBody).toMatchObject({ required: true });
    expect(paths['/things/{name}/change']?.post?.requestBody).toMatchObject({ required: false });
  });

  it('describes a field under its other name, too', async () => {
    const { paths, components } = await documentOf(WrittenThingsController);
    expect(paths['/things']?.get?.parameters).toMatchObject([
      { name: 'status', schema: { enum: ['kept', 'gone', null] } },
      { name: 'status_filter', schema: { enum: ['kept', 'gone', null] }, description: 'Another name of status' },
    ]);
    expect(components?.schemas?.['ChangeThing']).toMatchObject({
      properties: { name: {}, label: { type: ['string', 'null'], description: 'Another name of name' } },
    });
  });
});
