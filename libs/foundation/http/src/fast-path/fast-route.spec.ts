import { describe, expect, it } from '@jest/globals';
import {
  Body,
  Controller,
  Get,
  Header,
  Headers,
  HttpCode,
  Param,
  ParseIntPipe,
  Post,
  Redirect,
  Render,
  Sse,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  Version,
  type ExceptionFilter,
  type NestInterceptor,
} from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { RequireScope } from '../access/access.js';
import { Idempotent } from '../idempotency/idempotent.js';
import { Returns, ReturnsList, ReturnsNoContent } from '../routes/returns.js';
import type { AuditedRoute } from '../access/route-audit.js';
import { compileFastRoute, HotRoute, type FastRoute } from './fast-route.js';

class Shape {}
const guard = { canActivate: () => false };
const interceptor: NestInterceptor = { intercept: (_context, next) => next.handle() };
const filter: ExceptionFilter = { catch: () => undefined };
const nothing = (): void => undefined;

function compile(decorate: MethodDecorator = nothing, onClass: ClassDecorator = nothing): FastRoute | undefined {
  @Controller('things')
  class Things {
    @Post(':id')
    @HotRoute()
    @RequireScope('tasks:execute')
    act(@Param('id') id: string, @Body() body: Shape): unknown {
      return { id, body };
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(Things.prototype, 'act') as TypedPropertyDescriptor<unknown>;
  decorate(Things.prototype, 'act', descriptor);
  onClass(Things);
  return compileRoute(Things);
}

function compileRoute(controller: new () => object): FastRoute | undefined {
  const instance = new controller();
  const handler = Reflect.get(instance, 'act') as AuditedRoute['handler'];
  const route = { controller, instance, methodName: 'act', handler, httpMethod: 'POST' };
  return compileFastRoute(route, new ApplicationConfig());
}

describe('a hot route', () => {
  it('has the path and the status of its route', () => {
    expect(compile(Returns(Shape))).toMatchObject({ httpMethod: 'POST', segments: ['', 'things', ':id'], status: 200 });
    expect(compile(HttpCode(202))).toMatchObject({ status: 202 });
    expect(compile()).toMatchObject({ status: 201 });
  });

  it('may be idempotent or return a page, because the pipeline implements both', () => {
    for (const decorator of [Idempotent(), ReturnsList(Shape)]) expect(compile(decorator)).toBeDefined();
  });

  it.each<[string, MethodDecorator]>([
    ['a header', Header('Cache-Control', 'no-store')],
    ['a redirection', Redirect('/elsewhere')],
    ['a template', Render('page')],
    ['server-sent events', Sse()],
    ['a version', Version('2')],
    ['guards', UseGuards(guard)],
    ['pipes', UsePipes(ParseIntPipe)],
    ['interceptors', UseInterceptors(interceptor)],
    ['filters', UseFilters(filter)],
  ])('is rejected with %s, which only the ordinary path supports', (_what, decorator) => {
    expect(() => compile(decorator)).toThrow(/Things\.act: a hot route cannot have/);
  });

  it('is rejected with guards or a host on its class', () => {
    expect(() => compile(undefined, UseGuards(guard))).toThrow('__guards__');
    expect(() => compile(undefined, Controller({ path: 'things', host: 'example.com' }))).toThrow('host');
  });

  it('is rejected as a GET, because the fast path does not limit reads', () => {
    expect(() => compile(Get(':id'))).toThrow('a hot route cannot be a GET');
  });

  it('is rejected without a response body', () => {
    expect(() => compile(ReturnsNoContent())).toThrow('must have a response body');
  });

  it.each<[string, ParameterDecorator]>([
    ['a pipe', Param('id', ParseIntPipe)],
    ['a header', Headers('x')],
    ['all path parameters', Param()],
    ['one field of the body', Body('field')],
  ])('is rejected with %s as a parameter', (_what, decorator) => {
    class Things {
      @Post()
      @HotRoute()
      @RequireScope('tasks:execute')
      act(_argument: number): void {}
    }
    decorator(Things.prototype, 'act', 0);
    expect(() => compileRoute(Things)).toThrow(/cannot have pipes|can have only/);
  });
});
