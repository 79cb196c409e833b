import type { OpenAPIObject } from '@nestjs/swagger';
import { NO_SCOPE, REQUIRED_SCOPE } from '../access/access.js';
import { IF_MATCH_HEADER } from '../routes/entity-tag.js';
import { operationsOf, type Operation } from './openapi-walk.js';

/** Bodies of error responses: schema of a plain error and of a validation error. */
export interface ErrorSchemas {
  readonly plain: object;
  readonly validation: object;
}

const ERRORS = {
  '400': { name: 'BadRequest', description: 'Malformed path, or a request body that ended early' },
  '401': { name: 'Unauthorized', description: 'Missing, unknown, expired or revoked API key' },
  '403': { name: 'Forbidden', description: 'API key without the required scope' },
  '404': { name: 'NotFound', description: 'No such resource in the organization of the API key' },
  '409': { name: 'Conflict', description: 'Conflict with the current state of the resource' },
  '412': { name: 'PreconditionFailed', description: 'The resource was changed meanwhile; nothing was written' },
  '413': { name: 'PayloadTooLarge', description: 'Request body above the size limit' },
  '415': {
    name: 'UnsupportedMediaType',
    description: 'Request body of a type other than JSON, or of a charset other than UTF-8',
  },
  '422': { name: 'ValidationFailed', description: 'Invalid request; the body lists every fault' },
  '429': { name: 'TooManyRequests', description: 'Too many requests; the request may be retried after `Retry-After`' },
  '503': { name: 'ServiceUnavailable', description: 'Temporary failure; the request may be retried' },
} as const;

type ErrorStatus = keyof typeof ERRORS;

const STATUSES = Object.keys(ERRORS) as ErrorStatus[];
const OF_A_KEY: readonly ErrorStatus[] = ['401', '403'];
const OF_A_RESOURCE: readonly ErrorStatus[] = ['404', '409', '429'];
const OF_A_BODY: readonly ErrorStatus[] = ['413', '415'];

/** Adds the error responses to the components of a document, and adds to each operation the ones that it can return. */
export function addErrors(document: OpenAPIObject, { plain, validation }: ErrorSchemas): void {
  const components = (document.components ??= {});
  components.schemas = { ...components.schemas, Error: plain, ValidationError: validation };
  components.responses = Object.fromEntries(
    Object.entries(ERRORS).map(([status, { name, description }]) => [name, errorResponse(status, description)]),
  );
  for (const { method, operation } of operationsOf(document)) {
    const references = errorsOf(method, operation).map((status) => [
      status,
      { $ref: `#/components/responses/${ERRORS[status].name}` },
    ]);
    operation.responses = { ...(Object.fromEntries(references) as object), ...operation.responses };
  }
}

/** Returns the status of a shared response. */
export function statusOfResponse(name: string): string {
  return STATUSES.find((status) => ERRORS[status].name === name) ?? '';
}

interface ErrorResponse {
  readonly description: string;
  readonly content: { 'application/json': { schema: { $ref: string } } };
}

function errorResponse(status: string, description: string): ErrorResponse {
  const schema = { $ref: `#/components/schemas/${status === '422' ? 'ValidationError' : 'Error'}` };
  return { description, content: { 'application/json': { schema } } };
}

/**
 * Returns the error responses that an operation can return. A read has no body that could be rejected, a public read
 * without parameters names no resource that could be missing, and only operations with `If-Match` have a precondition.
 */
function errorsOf(method: string, operation: Operation): readonly ErrorStatus[] {
  const isPublic = operation[REQUIRED_SCOPE] === NO_SCOPE;
  const isRead = method === 'get';
  const isConditional = (operation.parameters ?? []).some(({ name }) => name === IF_MATCH_HEADER);
  const namesNothing = isPublic && isRead && (operation.parameters ?? []).length === 0;
  return STATUSES.filter(
    (status) =>
      !(isPublic && OF_A_KEY.includes(status)) &&
      !(isRead && OF_A_BODY.includes(status)) &&
      !(status === '412' && !isConditional) &&
      !(namesNothing && OF_A_RESOURCE.includes(status)),
  );
}

const SUCCESSES: Readonly<Record<string, string>> = {
  '200': 'Success',
  '201': 'Created',
  '204': 'Success, without a body',
};

/** Adds a description to the successful responses without one. */
export function describeSuccesses({ responses = {} }: Operation): void {
  for (const [status, response] of Object.entries(responses)) {
    const description = SUCCESSES[status];
    if (description !== undefined) response.description ||= description;
  }
}
