import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ANY_SCOPE, NO_SCOPE, REQUIRED_SCOPE } from '../routes/access.js';

export interface ApiDescription {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  /** How the key travels: `Bearer <key>` is the http scheme; `UserKey <key>` is an API key in the header. */
  readonly keyScheme: 'bearer' | 'userkey';
  /** The bodies of refusals: schema of a plain error and of a validation error. */
  readonly errorSchemas: { readonly plain: object; readonly validation: object };
  /** What fields without a description of their own mean, by their name. */
  readonly glossary?: Readonly<Record<string, string>>;
}

/** Where an application serves its own document. */
export const DOCUMENT_PATH = 'api/openapi.json';

/** The OpenAPI 3.1 document of an application, from its code. */
export function buildDocument(app: INestApplication, api: ApiDescription): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(api.title)
    .setDescription(`${api.description} This document: [${DOCUMENT_PATH}](/${DOCUMENT_PATH}).`)
    .setVersion(api.version);
  if (api.keyScheme === 'bearer')
    builder.addSecurity('key', { type: 'http', scheme: 'bearer', description: 'Bearer <API_KEY>' });
  else
    builder.addApiKey({ type: 'apiKey', in: 'header', name: 'Authorization', description: 'UserKey <API_KEY>' }, 'key');
  const document = SwaggerModule.createDocument(app, builder.build(), { operationIdFactory: operationId });
  const described = modernise(document) as OpenAPIObject;
  addErrors(described, api.errorSchemas);
  describeFields(described, new Map(Object.entries(api.glossary ?? {})));
  for (const { operation } of operationsOf(described)) operation.description = neededBy(operation);
  requireBodies(described);
  return described;
}

/** `JobsController.trigger` is `jobs_trigger`: stable as long as the code keeps its names. */
function operationId(controllerKey: string, methodKey: string): string {
  const resource = controllerKey.replace(/Controller$/, '').replace(/(?<!^)([A-Z])/g, '_$1');
  return `${resource.toLowerCase()}_${methodKey.replace(/([A-Z])/g, '_$1').toLowerCase()}`;
}

/** OpenAPI 3.1 has no `nullable`: such a schema says that `null` is one of its types. */
function modernise(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(modernise);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = node as Record<string, unknown>;
  const converted = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, modernise(value)]));
  return nullable === true ? withNull(converted) : converted;
}

function withNull(schema: Record<string, unknown>): Record<string, unknown> {
  if (typeof schema['type'] !== 'string') return { anyOf: [schema, { type: 'null' }] };
  const values = Array.isArray(schema['enum']) ? { enum: [...(schema['enum'] as unknown[]), null] } : {};
  return { ...schema, type: [schema['type'], 'null'], ...values };
}

function addErrors(document: OpenAPIObject, { plain, validation }: ApiDescription['errorSchemas']): void {
  const schemas = (document.components ??= {}).schemas ?? {};
  document.components.schemas = { ...schemas, Error: plain, ValidationError: validation };
  const answer = (name: string, description: string): object => ({
    description,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  });
  const errors = {
    '400': answer('Error', 'A malformed path, or a body that ended early'),
    '401': answer('Error', 'No valid key'),
    '403': answer('Error', 'The key lacks the scope'),
    '404': answer('Error', 'Nothing of that name in this organisation'),
    '409': answer('Error', 'Contradicts the present state'),
    '413': answer('Error', 'Body too large'),
    '415': answer('Error', 'Not a JSON body'),
    '422': answer('ValidationError', 'Every fault of the request'),
    '503': answer('Error', 'Try again later'),
  };
  const { 401: _noKey, 403: _noScope, ...errorsWithoutKey } = errors;
  const { 404: _nothing, 409: _conflict, 413: _tooLarge, 415: _notJson, ...errorsOfPlainReads } = errorsWithoutKey;
  for (const { method, operation } of operationsOf(document)) {
    const isPublic = operation[REQUIRED_SCOPE] === NO_SCOPE;
    const isPlainRead = isPublic && method === 'get' && (operation.parameters ?? []).length === 0;
    const expected = isPlainRead ? errorsOfPlainReads : isPublic ? errorsWithoutKey : errors;
    operation.responses = { ...expected, ...operation.responses };
  }
}

function describeFields({ components }: OpenAPIObject, glossary: ReadonlyMap<string, string>): void {
  for (const schema of Object.values(components?.schemas ?? {})) {
    const { properties = {} } = schema as { properties?: Record<string, { description?: string }> };
    for (const [name, property] of Object.entries(properties)) {
      const meaning = glossary.get(name);
      if (meaning !== undefined) property.description ??= meaning;
    }
  }
}

/** A body may be left out where nothing in it is required: no body is an empty one. */
function requireBodies(document: OpenAPIObject): void {
  const needing = Object.entries(document.components?.schemas ?? {}).flatMap(([name, schema]) =>
    ((schema as { required?: readonly string[] }).required ?? []).length > 0 ? [`#/components/schemas/${name}`] : [],
  );
  for (const { operation } of operationsOf(document)) {
    const { requestBody: body } = operation;
    const reference = body?.content['application/json']?.schema?.$ref;
    if (body !== undefined && reference !== undefined) body.required = needing.includes(reference);
  }
}

function neededBy({ [REQUIRED_SCOPE]: scope }: Operation): string {
  if (scope === NO_SCOPE) return 'Needs no key.';
  return scope === ANY_SCOPE ? 'Needs a valid key, whatever its scopes.' : `Needs \`${scope}\`.`;
}

function operationsOf({ paths }: OpenAPIObject): { method: string; operation: Operation }[] {
  return Object.values(paths).flatMap((path) =>
    Object.entries(path as Record<string, Operation>)
      .filter(([, operation]) => typeof operation === 'object' && operation.responses !== undefined)
      .map(([method, operation]) => ({ method, operation })),
  );
}

interface Operation {
  readonly [REQUIRED_SCOPE]?: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: {
    required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>;
  };
  description?: string;
  responses?: object;
}
