import type { OpenAPIObject } from '@nestjs/swagger';
import type { NamedDocument } from './openapi-documents.js';
import type { FieldKind, Form, FormField } from '../../apps/console/src/api/form.js';

type Schema = Readonly<Record<string, unknown>>;

/** Operations by which people make and change things. */
const WRITES = /_(?:create|update|replace)$/;
/** Texts that may be this long are written on several lines. */
const LONG_TEXT = 32_768;
const LONG_TEXT_FIELDS = /(?:^|_)(?:prompt|content|template)(?:_|$)/;
const LIMITS = ['minLength', 'maxLength', 'minimum', 'maximum'] as const;
/** Limits of the column, not of the thing. */
const MAX_INTEGER = 2_147_483_647;

/** What the console writes through the platform API; everything else it writes to the control plane. */
const PLATFORM_WRITES = /^users_/;

/** Returns the source of the console's forms: the body of each operation that makes or changes something. */
export function consoleForms(documents: readonly NamedDocument[]): string {
  const forms = documents.flatMap(({ name, document }) => {
    const writes = operationsOf(document);
    return name === 'platform-api'
      ? formsOf(
          writes.filter(({ operationId }) => PLATFORM_WRITES.test(operationId)),
          'PlatformSchemas',
        )
      : formsOf(writes, 'Schemas');
  });
  return [
    '/** Generated from the OpenAPI document: the forms of the bodies that the API takes, by operation. */\n',
    "import type { ControlPlaneComponents, PlatformApiComponents } from '@app/api-client';\n",
    "import type { Form } from '../form';\n",
    "\ntype Schemas = ControlPlaneComponents['schemas'];\n",
    "type PlatformSchemas = PlatformApiComponents['schemas'];\n",
    ...forms,
  ].join('');
}

interface Write {
  readonly operationId: string;
  readonly schema: string;
  readonly form: Form<unknown>;
}

function formsOf(writes: readonly Write[], schemas: string): string[] {
  return writes.map(({ operationId, schema, form }) => {
    const name = operationId.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    return `\nexport const ${name}: Form<${schemas}['${schema}']> = ${JSON.stringify(form, null, 2)};\n`;
  });
}

function operationsOf({ paths, components }: OpenAPIObject): Write[] {
  return Object.values(paths).flatMap(({ post, put, patch }) =>
    [post, put, patch].flatMap((operation) => {
      const { operationId, requestBody } = operation ?? {};
      const body = requestBody !== undefined && 'content' in requestBody ? requestBody.content['application/json'] : {};
      const schema = ((body?.schema as { readonly $ref?: string } | undefined)?.$ref ?? '').replace(/^.*\//, '');
      const described = components?.schemas?.[schema] as Schema | undefined;
      if (operationId === undefined || described === undefined || !WRITES.test(operationId)) return [];
      const scope = String((operation as unknown as Schema)['x-required-scope']);
      return [{ operationId, schema, form: { scope, fields: fieldsOf(described) } }];
    }),
  );
}

export function fieldsOf({ properties, required }: Schema): FormField[] {
  const names = new Set((required ?? []) as readonly string[]);
  return Object.entries((properties ?? {}) as Readonly<Record<string, Schema>>).map(([name, schema]) => {
    const kind = kindOf(name, schema);
    const { description = '', default: initial, example, enum: choices } = schema;
    return {
      name,
      kind,
      help: String(description),
      ...(names.has(name) ? { isRequired: true } : {}),
      ...(kind === 'choice' ? { choices: (choices as unknown[]).filter((value) => value !== null) as string[] } : {}),
      ...(isPlain(initial) && initial !== '' ? { initial } : {}),
      ...(typeof example === 'string' ? { example } : {}),
      ...limitsOf(schema),
    };
  });
}

function kindOf(name: string, schema: Schema): FieldKind {
  const type = [schema['type']].flat().find((one) => one !== 'null');
  if (Array.isArray(schema['enum'])) return 'choice';
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return type;
  if (type === 'array' && (schema['items'] as Schema | undefined)?.['type'] === 'string') return 'lines';
  if (type !== 'string') return 'json';
  const isLong = Number(schema['maxLength'] ?? 0) >= LONG_TEXT || LONG_TEXT_FIELDS.test(name);
  return isLong || String(schema['description']).includes('as free text') ? 'text' : 'line';
}

function limitsOf(schema: Schema): Partial<Record<(typeof LIMITS)[number], number>> {
  const limits = LIMITS.flatMap((limit) => {
    const value = schema[limit];
    return typeof value === 'number' && Math.abs(value) < MAX_INTEGER ? [[limit, value]] : [];
  });
  return Object.fromEntries(limits) as Partial<Record<(typeof LIMITS)[number], number>>;
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
