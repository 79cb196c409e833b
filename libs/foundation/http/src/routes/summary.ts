import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';

const SUMMARY = 'route:summary';

/** Describes the route in one sentence, for the OpenAPI document. Every route has one (see route-audit). */
export const Summary = (sentence: string): MethodDecorator =>
  applyDecorators(SetMetadata(SUMMARY, sentence), ApiOperation({ summary: sentence }));

/** The summary of a route; undefined if it has none. */
export function summaryOf(handler: object): string | undefined {
  return Reflect.getMetadata(SUMMARY, handler) as string | undefined;
}
