import { GraphqlError, POSITION, typeText } from './ast.js';
import type { Definition, Directive, DirectiveDefinition, FieldDefinition, SchemaDocument, TypeRef } from './ast.js';
import { parseGraphqlSchema } from './schema-parser.js';

const PRELUDE = parseGraphqlSchema(`
scalar Int scalar Float scalar String scalar Boolean scalar ID
directive @include(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
directive @skip(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
directive @deprecated(reason: String = "No longer supported") on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
directive @specifiedBy(url: String!) on SCALAR
directive @defer(if: Boolean = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
directive @oneOf on INPUT_OBJECT
type __Schema { description: String types: [__Type!]! queryType: __Type! mutationType: __Type subscriptionType: __Type directives: [__Directive!]! }
type __Type { kind: __TypeKind! name: String description: String fields(includeDeprecated: Boolean = false): [__Field!] interfaces: [__Type!] possibleTypes: [__Type!] enumValues(includeDeprecated: Boolean = false): [__EnumValue!] inputFields(includeDeprecated: Boolean = false): [__InputValue!] ofType: __Type specifiedByURL: String }
type __Field { name: String! description: String args(includeDeprecated: Boolean = false): [__InputValue!]! type: __Type! isDeprecated: Boolean! deprecationReason: String }
type __InputValue { name: String! description: String type: __Type! defaultValue: String isDeprecated: Boolean! deprecationReason: String }
type __EnumValue { name: String! description: String isDeprecated: Boolean! deprecationReason: String }
enum __TypeKind { SCALAR OBJECT INTERFACE UNION ENUM INPUT_OBJECT LIST NON_NULL }
type __Directive { name: String! description: String locations: [String!]! args: [__InputValue!]! isRepeatable: Boolean! }
`);

/** A valid schema with its extensions merged. */
export class Schema {
  readonly types = new Map<string, Definition>();
  readonly directives = new Map<string, DirectiveDefinition>();
  readonly roots = new Map<string, string>();

  possible(name: string): ReadonlySet<string> {
    const type = this.types.get(name);
    if (type?.Kind === 'UNION') return new Set(type.Types);
    if (type?.Kind !== 'INTERFACE') return new Set([name]);
    return new Set(
      [...this.types.values()]
        .filter((other) => other.Kind === 'OBJECT' && other.Interfaces?.includes(name))
        .map((other) => other.Name),
    );
  }
}

export function buildSchema(document: SchemaDocument): Schema {
  const schema = new Schema();
  for (const source of [PRELUDE, document]) {
    for (const definition of source.Definitions ?? []) {
      if (schema.types.has(definition.Name))
        throw new GraphqlError(`Cannot redeclare type ${definition.Name}.`, definition[POSITION]);
      schema.types.set(definition.Name, definition);
    }
    for (const directive of source.Directives ?? []) {
      if (
        source !== PRELUDE &&
        schema.directives.has(directive.Name) &&
        !PRELUDE.Directives?.some((known) => known.Name === directive.Name)
      ) {
        throw new GraphqlError(`Cannot redeclare directive ${directive.Name}.`, directive[POSITION]);
      }
      schema.directives.set(directive.Name, directive);
    }
  }
  for (const extension of document.Extensions ?? []) extend(schema, extension);
  addRoots(schema, document);
  for (const source of [...(document.Schema ?? []), ...(document.SchemaExtension ?? [])])
    checkDirectives(schema, source.Directives, 'SCHEMA');
  for (const directive of document.Directives ?? []) {
    const itself = directive.Arguments?.some((argument) =>
      argument.Directives?.some(({ Name }) => Name === directive.Name),
    );
    if (itself === true)
      throw new GraphqlError(`Directive ${directive.Name} cannot refer to itself.`, directive[POSITION]);
    checkArguments(schema, directive.Arguments ?? []);
  }
  const prelude = new Set(PRELUDE.Definitions);
  for (const definition of schema.types.values()) if (!prelude.has(definition)) checkDefinition(schema, definition);
  return schema;
}

function extend(schema: Schema, extension: Definition): void {
  const known = schema.types.get(extension.Name);
  if (known === undefined) {
    schema.types.set(extension.Name, extension);
    return;
  }
  if (known.Kind !== extension.Kind) {
    throw new GraphqlError(
      `Cannot extend type ${extension.Name} because the base type is a ${known.Kind}, not ${extension.Kind}.`,
      extension[POSITION],
    );
  }
  const join = <T>(a: readonly T[] | undefined, b: readonly T[] | undefined): readonly T[] => [
    ...(a ?? []),
    ...(b ?? []),
  ];
  schema.types.set(extension.Name, {
    ...known,
    Directives: join(known.Directives, extension.Directives),
    Interfaces: join(known.Interfaces, extension.Interfaces),
    Fields: join(known.Fields, extension.Fields),
    Types: join(known.Types, extension.Types),
    EnumValues: join(known.EnumValues, extension.EnumValues),
  });
}

function addRoots(schema: Schema, document: SchemaDocument): void {
  const [, second] = document.Schema ?? [];
  if (second !== undefined)
    throw new GraphqlError(
      'Cannot have multiple schema entry points, consider schema extensions instead.',
      second[POSITION],
    );
  for (const source of [...(document.Schema ?? []), ...(document.SchemaExtension ?? [])]) {
    for (const { Operation, Type } of source.OperationTypes ?? []) {
      if (!schema.types.has(Type))
        throw new GraphqlError(
          `Schema root ${Operation} refers to a type ${Type} that does not exist.`,
          source[POSITION],
        );
      schema.roots.set(Operation, Type);
    }
  }
  if ((document.Schema ?? []).length > 0) return;
  for (const name of ['Query', 'Mutation', 'Subscription']) {
    if (schema.types.has(name) && !schema.roots.has(name.toLowerCase())) schema.roots.set(name.toLowerCase(), name);
  }
}

function checkDefinition(schema: Schema, definition: Definition): void {
  const fail = (message: string): never => {
    throw new GraphqlError(message, definition[POSITION]);
  };
  if (definition.Name.startsWith('__'))
    fail(`Name "${definition.Name}" must not begin with "__", which is reserved by GraphQL introspection.`);
  const fields = definition.Fields ?? [];
  for (const field of fields) {
    checkType(schema, field.Type);
    checkArguments(schema, field.Arguments ?? []);
    checkDirectives(
      schema,
      field.Directives,
      definition.Kind === 'INPUT_OBJECT' ? 'INPUT_FIELD_DEFINITION' : 'FIELD_DEFINITION',
    );
    if (field.Name.startsWith('__'))
      fail(`Name "${field.Name}" must not begin with "__", which is reserved by GraphQL introspection.`);
    const isInput = schema.types.get(baseName(field.Type))?.Kind === 'INPUT_OBJECT';
    if (definition.Kind !== 'INPUT_OBJECT' && isInput)
      fail(`${definition.Kind} field must be one of SCALAR, OBJECT, INTERFACE, UNION, ENUM.`);
    if (definition.Kind === 'INPUT_OBJECT') checkInputType(schema, field);
  }
  unique(
    fields.map((field) => field.Name),
    (name) => fail(`Field ${definition.Name}.${name} can only be defined once.`),
  );
  if (['OBJECT', 'INTERFACE', 'INPUT_OBJECT'].includes(definition.Kind) && fields.length === 0) {
    fail(
      `${definition.Kind} ${definition.Name}: must define one or more ${definition.Kind === 'INPUT_OBJECT' ? 'input ' : ''}fields.`,
    );
  }
  checkMembers(schema, definition, fail);
  checkDirectives(schema, definition.Directives, definition.Kind);
  for (const name of definition.Interfaces ?? []) checkImplements(schema, definition, name);
}

function checkMembers(schema: Schema, definition: Definition, fail: (message: string) => never): void {
  if (definition.Kind === 'ENUM') {
    const values = definition.EnumValues ?? [];
    if (values.length === 0) fail(`${definition.Kind} ${definition.Name}: must define one or more unique enum values.`);
    unique(
      values.map((value) => value.Name),
      () => fail(`${definition.Kind} ${definition.Name}: must define one or more unique enum values.`),
    );
    for (const value of values) checkDirectives(schema, value.Directives, 'ENUM_VALUE');
  }
  if (definition.Kind !== 'UNION') return;
  if ((definition.Types ?? []).length === 0)
    fail(`UNION ${definition.Name}: must define one or more unique member types.`);
  for (const name of definition.Types ?? []) {
    const type = schema.types.get(name);
    if (type === undefined) fail(`Undefined type "${name}".`);
    else if (type.Kind !== 'OBJECT') fail(`UNION type "${name}" must be OBJECT.`);
  }
}

function unique(names: readonly string[], fail: (name: string) => void): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) fail(name);
    seen.add(name);
  }
}

export function baseName(type: TypeRef): string {
  return type.Elem === undefined ? type.NamedType : baseName(type.Elem);
}

function checkType(schema: Schema, type: TypeRef): void {
  if (!schema.types.has(baseName(type))) throw new GraphqlError(`Undefined type ${baseName(type)}.`, type[POSITION]);
}

function checkInputType(schema: Schema, field: FieldDefinition): void {
  const kind = schema.types.get(baseName(field.Type))?.Kind ?? '';
  if (!['SCALAR', 'ENUM', 'INPUT_OBJECT'].includes(kind)) {
    throw new GraphqlError(
      `cannot use ${baseName(field.Type)} as argument ${field.Name} because ${kind} is not a valid input type`,
      field[POSITION],
    );
  }
}

function checkArguments(schema: Schema, fields: readonly FieldDefinition[]): void {
  for (const field of fields) {
    checkType(schema, field.Type);
    checkInputType(schema, field);
    if (field.Name.startsWith('__'))
      throw new GraphqlError(
        `Name "${field.Name}" must not begin with "__", which is reserved by GraphQL introspection.`,
        field[POSITION],
      );
    checkDirectives(schema, field.Directives, 'ARGUMENT_DEFINITION');
  }
  unique(
    fields.map((field) => field.Name),
    (name) => {
      throw new GraphqlError(`Argument ${name} can only be defined once.`, fields[0]?.[POSITION]);
    },
  );
}

function checkDirectives(schema: Schema, directives: readonly Directive[] | undefined, location: string): void {
  for (const directive of directives ?? []) {
    const known = schema.directives.get(directive.Name);
    if (known === undefined) throw new GraphqlError(`Undefined directive ${directive.Name}.`, directive[POSITION]);
    if (!known.Locations?.includes(location))
      throw new GraphqlError(`Directive ${directive.Name} is not applicable on ${location}.`, directive[POSITION]);
    for (const argument of directive.Arguments ?? []) {
      if (!known.Arguments?.some((definition) => definition.Name === argument.Name)) {
        throw new GraphqlError(
          `Undefined argument ${argument.Name} for directive ${directive.Name}.`,
          directive[POSITION],
        );
      }
    }
    for (const definition of known.Arguments ?? []) {
      const given = directive.Arguments?.some((argument) => argument.Name === definition.Name) ?? false;
      if (definition.Type.NonNull && definition.DefaultValue === undefined && !given) {
        throw new GraphqlError(
          `Argument ${definition.Name} for directive ${directive.Name} cannot be null.`,
          directive[POSITION],
        );
      }
    }
  }
}

function checkImplements(schema: Schema, definition: Definition, name: string): void {
  const fail = (message: string): never => {
    throw new GraphqlError(message, definition[POSITION]);
  };
  const parent = schema.types.get(name);
  if (parent === undefined) return fail(`Undefined type "${name}".`);
  if (parent.Kind !== 'INTERFACE') fail(`"${name}" is a non interface type ${parent.Kind}.`);
  for (const above of parent.Interfaces ?? []) {
    if (!definition.Interfaces?.includes(above))
      fail(`Type ${definition.Name} must implement ${above} because it is implemented by ${name}.`);
  }
  for (const required of parent.Fields ?? []) {
    const field = definition.Fields?.find((candidate) => candidate.Name === required.Name);
    if (field === undefined)
      return fail(`For ${definition.Name} to implement ${name} it must have a field called ${required.Name}.`);
    if (!isCovariant(schema, required.Type, field.Type)) {
      fail(
        `For ${definition.Name} to implement ${name} the field ${required.Name} must have type ${typeText(required.Type)}.`,
      );
    }
    for (const argument of field.Arguments ?? []) {
      const known = required.Arguments?.some((candidate) => candidate.Name === argument.Name) ?? false;
      if (!known && argument.Type.NonNull && argument.DefaultValue === undefined)
        fail(
          `For ${definition.Name} to implement ${name} any additional arguments on ${field.Name} must be optional or have a default value but ${argument.Name} is required.`,
        );
    }
    for (const argument of required.Arguments ?? []) {
      const own = field.Arguments?.find((candidate) => candidate.Name === argument.Name);
      if (own === undefined || typeText(own.Type) !== typeText(argument.Type)) {
        fail(
          `For ${definition.Name} to implement ${name} the field ${required.Name} must have the same arguments but it is missing ${argument.Name}.`,
        );
      }
    }
  }
}

function isCovariant(schema: Schema, required: TypeRef, actual: TypeRef): boolean {
  if (required.NonNull && !actual.NonNull) return false;
  if (required.Elem !== undefined) return actual.Elem !== undefined && isCovariant(schema, required.Elem, actual.Elem);
  if (actual.Elem !== undefined) return false;
  return (
    required.NamedType === actual.NamedType ||
    schema.possible(required.NamedType).has(actual.NamedType) ||
    (schema.types.get(actual.NamedType)?.Interfaces?.includes(required.NamedType) ?? false)
  );
}
