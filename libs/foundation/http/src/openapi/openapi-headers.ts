import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODE_HEADER, errorCatalogue } from '../errors/error-codes.js';
import { IGNORED_FIELDS_HEADER } from '../fields/ignored-fields.js';
import { ENTITY_TAG_HEADER } from '../routes/entity-tag.js';
import { HAS_ENTITY_TAG } from '../routes/revised-resource.js';
import { statusOfResponse } from './openapi-responses.js';
import { NOTICE_HEADER } from '../wire/notices.js';
import { operationsOf, type Operation, type Response } from './openapi-walk.js';

/** A header in a document. */
export interface HeaderDescription {
  readonly description: string;
  /** Whether every response that declares the header has it. */
  readonly required?: boolean;
  readonly schema: { readonly type: 'string' | 'integer'; readonly minimum?: number; readonly enum?: string[] };
}

const ERROR_CODE: HeaderDescription = {
  description: 'Code of the failure in the error catalogue',
  required: true,
  schema: { type: 'string', enum: errorCatalogue().map(({ code }) => code) },
};

export const RETRY_AFTER_HEADER = 'Retry-After';
const RETRY_AFTER: HeaderDescription = {
  description: 'Seconds after which the request may be retried. Absent if a retry cannot succeed',
  schema: { type: 'integer', minimum: 1 },
};
/** The responses that have `Retry-After`, see `describeError`. */
const RETRYABLE = ['429', '503'];

const IGNORED_FIELDS: HeaderDescription = {
  description:
    'Names of sent fields that had no effect, separated by commas, at most 20: unknown parameters and fields of the operation, ' +
    'and unknown keys of a configuration as `field.key`. Absent if there are none',
  schema: { type: 'string' },
};

const NOTICE: HeaderDescription = {
  description: 'Remarks for people on a request that succeeded, separated by semicolons. Absent if there are none',
  schema: { type: 'string' },
};

const ENTITY_TAG: HeaderDescription = {
  description:
    'Tag of the resource for `If-Match`. It changes with each change by a request, not with runs. Absent from a replayed response',
  schema: { type: 'string' },
};

/**
 * Declares the headers of responses: the given ones on every response, `X-Error-Code` on every error, `Retry-After` on those
 * that may be retried, `X-Ignored-Fields` on each success, `X-Notice` on that of the operations with a body, `ETag` on that of the operations on resources with revisions.
 */
export function documentHeaders(
  document: OpenAPIObject,
  common: Readonly<Record<string, HeaderDescription>> = {},
): void {
  const components = (document.components ??= {});
  components.headers = {
    ...components.headers,
    ...common,
    [ERROR_CODE_HEADER]: ERROR_CODE,
    [RETRY_AFTER_HEADER]: RETRY_AFTER,
    [IGNORED_FIELDS_HEADER]: IGNORED_FIELDS,
    [NOTICE_HEADER]: NOTICE,
    [ENTITY_TAG_HEADER]: ENTITY_TAG,
  };
  const shared = Object.entries(components.responses ?? {}).map(([name, response]) => ({
    response,
    ofStatus: [...Object.keys(common), ...errorHeaders(statusOfResponse(name))],
  }));
  const own = operationsOf(document).flatMap(({ operation }) =>
    Object.entries(operation.responses ?? {}).map(([status, response]) => ({
      response,
      ofStatus: [...Object.keys(common), ...errorHeaders(status), ...successHeaders(status, operation)],
    })),
  );
  for (const { response, ofStatus } of [...shared, ...own]) {
    if (!('$ref' in response)) addHeaders(response, ofStatus);
  }
}

function errorHeaders(status: string): readonly string[] {
  if (Number(status) < 400) return [];
  return RETRYABLE.includes(status) ? [ERROR_CODE_HEADER, RETRY_AFTER_HEADER] : [ERROR_CODE_HEADER];
}

function successHeaders(status: string, operation: Operation): readonly string[] {
  if (!status.startsWith('2')) return [];
  return [
    IGNORED_FIELDS_HEADER,
    ...(operation.requestBody === undefined ? [] : [NOTICE_HEADER]),
    ...(operation[HAS_ENTITY_TAG] === true ? [ENTITY_TAG_HEADER] : []),
  ];
}

function addHeaders(response: Response, names: readonly string[]): void {
  if (names.length === 0) return;
  const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const);
  response.headers = { ...response.headers, ...Object.fromEntries(references) };
}
