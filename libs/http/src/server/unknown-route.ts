import { NotFoundException } from '@nestjs/common';
import type { ApplicationConfig } from '@nestjs/core';
import { OptionalKey } from '../access/access.js';
import { compilePipeline, type Pipeline } from '../fast-path/pipeline.js';

/** The route of requests that no other one matches. */
class UnknownRoute {
  @OptionalKey()
  reject(this: void): never {
    throw new NotFoundException();
  }
}

/** Rejects a request with 404 after the guards of the application, so that it counts against the limits of its key. */
export function unknownRoute(config: ApplicationConfig): Pipeline {
  const instance = new UnknownRoute();
  const handler = instance.reject;
  return compilePipeline(
    { controller: UnknownRoute, instance, methodName: 'reject', handler, httpMethod: 'ALL' },
    config,
  );
}
