import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';

export const SUMMARY = 'route:summary';

/** What the route does, in one sentence for the documents. Every route has one (see route-audit). */
export const Summary = (sentence: string): MethodDecorator =>
  applyDecorators(SetMetadata(SUMMARY, sentence), ApiOperation({ summary: sentence }));

/** What a route says it does; undefined where it says nothing. */
export function summaryOf(handler: object): string | undefined {
  return Reflect.getMetadata(SUMMARY, handler) as string | undefined;
}
