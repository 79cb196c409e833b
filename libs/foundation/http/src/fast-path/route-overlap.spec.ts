import { describe, expect, it } from '@jest/globals';
import { All, Controller, Get, Post, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import type { AuditedRoute } from '../access/route-audit.js';
import { earlierPathsOf } from './route-overlap.js';

function route(decorate: MethodDecorator, prefix: string | string[] = 'things'): AuditedRoute {
  @Controller(prefix)
  class Things {
    act(): void {}
  }
  const descriptor = Object.getOwnPropertyDescriptor(Things.prototype, 'act') as TypedPropertyDescriptor<unknown>;
  decorate(Things.prototype, 'act', descriptor);
  const handler = descriptor.value as AuditedRoute['handler'];
  const httpMethod = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
  return { controller: Things, instance: new Things(), methodName: 'act', handler, httpMethod };
}

describe('a request for a route', () => {
  it.each<[string, AuditedRoute, AuditedRoute]>([
    ['a fixed segment in place of its parameter', route(Post(':id')), route(Post('latest'))],
    ['a parameter in place of its fixed segment', route(Post('latest')), route(Post(':id'))],
    ['the same path in another case', route(Post('latest')), route(Post('LATEST'))],
    ['a wildcard', route(Post(':id/acts')), route(Post('*rest'))],
    ['every method', route(Post(':id')), route(All(':name'))],
    ['several prefixes', route(Post(':id')), route(Post('latest'), ['others', 'things'])],
  ])('can match an earlier route with %s', (_what, hot, other) => {
    expect(earlierPathsOf(hot, [other, hot])).toHaveLength(1);
    expect(earlierPathsOf(hot, [hot, other])).toEqual([]);
  });

  it.each<[string, AuditedRoute, AuditedRoute]>([
    ['another method', route(Post(':id')), route(Get(':id'))],
    ['a longer path', route(Post(':id')), route(Post(':id/acts'))],
    ['a shorter path', route(Post(':id/acts')), route(Post(':id'))],
    ['another segment', route(Post(':id/acts')), route(Post(':id/events'))],
  ])('cannot match an earlier route with %s', (_what, hot, other) => {
    expect(earlierPathsOf(hot, [other, hot])).toEqual([]);
  });
});
