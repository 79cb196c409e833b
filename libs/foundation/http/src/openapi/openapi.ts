import { VERSION } from '@app/kernel';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ANY_SCOPE, NO_SCOPE, REQUIRED_SCOPE } from '../access/access.js';
import { CLOSED_SCHEMA } from '../fields/ignored-fields.js';
import { OPEN_SCHEMA } from '../fields/response-fields.js';
import { documentHeaders, type HeaderDescription } from './openapi-headers.js';
import { addErrors, describeSuccesses, type ErrorSchemas } from './openapi-responses.js';
import { operationsOf, type Operation, type Property } from './openapi-walk.js';

export interface ApiDescription {
  readonly title: string;
  readonly description: string;
  /**
   * Format of the `Authorization` header. OpenAPI describes `Bearer <key>` as an http scheme and `UserKey <key>` as an
   * API key in a header.
   */
  readonly keyScheme: 'bearer' | 'userkey';
  readonly errorSchemas: ErrorSchemas;
  /** Descriptions of the tags, by name, in the order of the document. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Descriptions of path parameters, by name. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Descriptions of fields that are declared without one, by name. */
  readonly glossary?: Readonly<Record<string, string>>;
  /** Headers of every response, by name. */
  readonly headers?: Readonly<Record<string, HeaderDescription>>;
}

/** Path under which an application serves its own document. */
export const DOCUMENT_PATH = 'api/openapi.json';

/** The server in a document. Clients generated from the document call it by default. */
export interface DocumentServer {
  readonly url: string;
  readonly description: string;
}

/** Returns the OpenAPI 3.1 document of an application, derived from its code. */
export function buildDocument(app: INestApplication, api: ApiDescription, server: DocumentServer): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, headOf(api, server), { operationIdFactory: operationId });
  const described = replaceNullable(document) as OpenAPIObject;
  Reflect.deleteProperty(described.info, 'contact');
  addErrors(described, api.errorSchemas);
  documentHeaders(described, api.headers);
  describeFields(described, api.glossary ?? {});
  for (const { operation } of operationsOf(described)) {
    operation.description = accessDescription(operation);
    // An explicit empty list distinguishes a public operation from one whose security is not described.
    if (operation[REQUIRED_SCOPE] === NO_SCOPE) operation.security = [];
    describeSuccesses(operation);
    describeParameters(operation, api);
    forbidNullParameters(operation);
  }
  declareOtherFields(described);
  requireBodies(described);
  return described;
}

const ENTER_KEY = 'In the dialog of the documentation page, enter the key alone';

function headOf(api: ApiDescription, server: DocumentServer): Omit<OpenAPIObject, 'paths'> {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(api.title)
    .setDescription(`${api.description} This document: [${DOCUMENT_PATH}](/${DOCUMENT_PATH}).`)
    .setVersion(VERSION)
    .setLicense('Apache 2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer(server.url, server.description);
  for (const [name, description] of Object.entries(api.tags ?? {})) builder.addTag(name, description);
  if (api.keyScheme === 'bearer')
    builder.addSecurity('key', {
      type: 'http',
      scheme: 'bearer',
      description: `API key, sent as \`Bearer <key>\`. ${ENTER_KEY}`,
    });
  else
    builder.addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: `API key, sent as \`UserKey <key>\`. ${ENTER_KEY}`,
      },
      'key',
    );
  return builder.build();
}

/** `JobsController.trigger` becomes `jobs_trigger`: the id changes only if the class or method is renamed. */
function operationId(controllerKey: string, methodKey: string): string {
  const resource = controllerKey.replace(/Controller$/, '').replace(/(?<!^)([A-Z])/g, '_$1');
  return `${resource.toLowerCase()}_${methodKey.replace(/([A-Z])/g, '_$1').toLowerCase()}`;
}

/** Replaces `nullable`, which OpenAPI 3.1 lacks, with the type `null`. */
function replaceNullable(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(replaceNullable);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = node as Record<string, unknown>;
  const converted = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, replaceNullable(value)]));
  return nullable === true ? withNull(converted) : converted;
}

function withNull(schema: Record<string, unknown>): Record<string, unknown> {
  if (typeof schema['type'] !== 'string') return { anyOf: [schema, { type: 'null' }] };
  const values = Array.isArray(schema['enum']) ? { enum: [...(schema['enum'] as unknown[]), null] } : {};
  return { ...schema, type: [schema['type'], 'null'], ...values };
}

function describeFields({ components }: OpenAPIObject, glossary: Readonly<Record<string, string>>): void {
  for (const schema of Object.values(components?.schemas ?? {})) {
    for (const [name, property] of Object.entries((schema as Property).properties ?? {})) {
      const meaning = glossary[name];
      if (meaning !== undefined) property.description ??= meaning;
    }
  }
}

function describeParameters(
  { parameters = [] }: Operation,
  { parameters: ofPaths = {}, glossary = {} }: ApiDescription,
): void {
  for (const parameter of parameters) {
    const meaning = parameter.in === 'path' ? ofPaths[parameter.name] : glossary[parameter.name];
    if (meaning !== undefined) parameter.description ??= meaning;
  }
}

/** A parameter is present or absent; neither a query nor a header can carry `null`. */
function forbidNullParameters({ parameters = [] }: Operation): void {
  for (const { schema } of parameters) {
    const types = [schema?.type ?? []].flat().filter((type) => type !== 'null');
    if (schema === undefined || types.length !== 1) continue;
    schema.type = types[0];
    if (schema.enum !== undefined) schema.enum = schema.enum.filter((value) => value !== null);
  }
}

interface MarkedSchema {
  [CLOSED_SCHEMA]?: true;
  [OPEN_SCHEMA]?: true;
  additionalProperties?: boolean;
}

/** Declares that request classes which forbid unknown fields have no others, and that open responses can have any. */
function declareOtherFields({ components }: OpenAPIObject): void {
  for (const schema of Object.values(components?.schemas ?? {}) as MarkedSchema[]) {
    if (schema[CLOSED_SCHEMA] === undefined && schema[OPEN_SCHEMA] === undefined) continue;
    schema.additionalProperties = schema[OPEN_SCHEMA] === true;
    delete schema[CLOSED_SCHEMA];
    delete schema[OPEN_SCHEMA];
  }
}

/** A body without required fields is optional: a missing body is treated as an empty one. */
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

function accessDescription({ [REQUIRED_SCOPE]: scope }: Operation): string {
  if (scope === NO_SCOPE) return 'No API key required.';
  return scope === ANY_SCOPE ? 'Required scope: none. Any valid API key is accepted.' : `Required scope: \`${scope}\`.`;
}
