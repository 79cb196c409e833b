import { describe, expect, it } from '@jest/globals';
import {
  Body,
  Controller,
  Header,
  Headers,
  Param,
  ParseIntPipe,
  Post,
  Redirect,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  type ExceptionFilter,
  type NestInterceptor,
} from '@nestjs/common';
import { RequireScope } from '../routes/access.js';
import { Answers, AnswersList, Idempotent } from '../routes/answers.js';
import type { AuditedRoute } from '../routes/route-audit.js';
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
  return compileFastRoute(routeOf(Things));
}

function routeOf(controller: new () => object): AuditedRoute {
  const instance = new controller();
  const handler = Reflect.get(instance, 'act') as AuditedRoute['handler'];
  return { controller, instance, methodName: 'act', handler, httpMethod: 'POST' };
}

describe('a hot route', () => {
  it('may say its status, what it answers, and that it is idempotent', () => {
    expect(compile(Answers(Shape, { status: 201 }))).toMatchObject({ status: 201, idempotent: false });
    expect(compile(Idempotent())).toMatchObject({ segments: ['', 'things', ':id'], idempotent: true });
  });

  it.each<[string, MethodDecorator]>([
    ['a header', Header('Cache-Control', 'no-store')],
    ['a paged list', AnswersList(Shape)],
    ['a redirection', Redirect('/elsewhere')],
    ['guards', UseGuards(guard)],
    ['pipes', UsePipes(ParseIntPipe)],
    ['interceptors', UseInterceptors(interceptor)],
    ['filters', UseFilters(filter)],
  ])('does not start with %s, which only the ordinary lane would honour', (_what, decorator) => {
    expect(() => compile(decorator)).toThrow(/Things\.act: a hot route can not have/);
  });

  it('does not start with guards on its class either', () => {
    expect(() => compile(undefined, UseGuards(guard))).toThrow('__guards__');
  });

  it('does not start with pipes on a parameter, or with a parameter it does not know', () => {
    class Piped {
      @Post()
      @HotRoute()
      @RequireScope('tasks:execute')
      act(@Param('id', ParseIntPipe) _id: number): void {}
    }
    class Asking {
      @Post()
      @HotRoute()
      @RequireScope('tasks:execute')
      act(@Headers('x') _x: string): void {}
    }
    expect(() => compileFastRoute(routeOf(Piped))).toThrow('pipes');
    expect(() => compileFastRoute(routeOf(Asking))).toThrow('takes only @Param');
  });
});
