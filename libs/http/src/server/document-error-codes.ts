import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODE_HEADER, errorCatalogue } from '../wire/error-codes.js';
import { operationsOf, type Response } from './openapi-walk.js';

const HEADER = {
  description: 'Code of the failure in the error catalogue',
  required: true,
  schema: { type: 'string' as const, enum: errorCatalogue().map(({ code }) => code) },
};

/** Adds the header `X-Error-Code` to every error response of a document, shared or of a single operation. */
export function documentErrorCodes(document: OpenAPIObject): void {
  const components = (document.components ??= {});
  components.headers = { ...components.headers, [ERROR_CODE_HEADER]: HEADER };
  const own = operationsOf(document).flatMap(({ operation }) =>
    Object.entries(operation.responses ?? {}).flatMap(([status, response]) =>
      Number(status) >= 400 ? [response] : [],
    ),
  );
  for (const response of [...Object.values(components.responses ?? {}), ...own]) {
    if (!('$ref' in response)) addHeader(response);
  }
}

function addHeader(response: Response): void {
  const reference = { $ref: `#/components/headers/${ERROR_CODE_HEADER}` };
  response.headers = { ...response.headers, [ERROR_CODE_HEADER]: reference };
}
