import type { ServerResponse } from 'node:http';
import type { ResponseHeaders } from '@app/http';
import type { ModelOrigin } from '@app/models';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

const SOURCE = 'X-Catalogue-Source';
const AGE = 'Age';

export const CATALOGUE_HEADERS: ResponseHeaders = {
  [SOURCE]: {
    description: 'Sources of the response: `stored`, `gateway`, or both as `gateway,stored`',
    schema: { type: 'string' },
  },
  [AGE]: {
    description: 'Seconds since the model gateway listed its models. Absent if it is not a source',
    schema: { type: 'integer' },
  },
};

export type SetOrigin = (origin: ModelOrigin) => void;

/** Injects a function that sets the headers on the response. */
export const CatalogueHeaders = createParamDecorator((_data: unknown, context: ExecutionContext): SetOrigin => {
  const response = context.switchToHttp().getResponse<ServerResponse>();
  return ({ sources, ageSeconds }) => {
    response.setHeader(SOURCE, sources.join(','));
    if (ageSeconds !== null) response.setHeader(AGE, String(ageSeconds));
  };
});
