/**
 * Documents in the form that `graphql.parse_query` and `graphql.parse_schema` return: names of fields are capitalized,
 * and empty lists are absent.
 */
export const POSITION = Symbol('position');

export interface Position {
  readonly line: number;
  readonly column: number;
}
export interface Positioned {
  readonly [POSITION]?: Position;
}

export interface TypeRef extends Positioned {
  readonly NamedType: string;
  readonly NonNull: boolean;
  readonly Elem?: TypeRef;
}
export interface ValueNode extends Positioned {
  /** 0 variable, 1 integer, 2 float, 3 string, 4 block string, 5 boolean, 6 null, 7 enum, 8 list, 9 object. */
  readonly Kind: number;
  readonly Raw: string;
  readonly Children?: readonly { readonly Name: string; readonly Value: ValueNode }[];
  readonly ExpectedTypeHasDefault: false;
}
export interface Argument extends Positioned {
  readonly Name: string;
  readonly Value: ValueNode;
}
export interface Directive extends Positioned {
  readonly Name: string;
  readonly Arguments?: readonly Argument[];
  readonly Location: '';
}
export interface Selection extends Positioned {
  readonly Alias?: string;
  readonly Name?: string;
  readonly TypeCondition?: string;
  readonly Arguments?: readonly Argument[];
  readonly Directives?: readonly Directive[];
  readonly SelectionSet?: readonly Selection[];
}
export interface VariableDefinition extends Positioned {
  readonly Variable: string;
  readonly Type: TypeRef;
  readonly DefaultValue?: ValueNode;
  readonly Directives?: readonly Directive[];
  readonly Used: false;
}
export interface Operation extends Positioned {
  readonly Operation: string;
  readonly Name: string;
  readonly VariableDefinitions?: readonly VariableDefinition[];
  readonly Directives?: readonly Directive[];
  readonly SelectionSet?: readonly Selection[];
}
export interface Fragment extends Positioned {
  readonly Name: string;
  readonly TypeCondition: string;
  readonly VariableDefinition?: readonly VariableDefinition[];
  readonly Directives?: readonly Directive[];
  readonly SelectionSet?: readonly Selection[];
}
export interface QueryDocument {
  readonly Operations?: readonly Operation[];
  readonly Fragments?: readonly Fragment[];
}

export interface FieldDefinition extends Positioned {
  readonly Description: string;
  readonly Name: string;
  readonly Arguments?: readonly FieldDefinition[];
  readonly DefaultValue?: ValueNode;
  readonly Type: TypeRef;
  readonly Directives?: readonly Directive[];
}
export interface EnumValue extends Positioned {
  readonly Description: string;
  readonly Name: string;
  readonly Directives?: readonly Directive[];
}
export interface Definition extends Positioned {
  readonly Kind: string;
  readonly Description: string;
  readonly Name: string;
  readonly Directives?: readonly Directive[];
  readonly Interfaces?: readonly string[];
  readonly Fields?: readonly FieldDefinition[];
  readonly Types?: readonly string[];
  readonly EnumValues?: readonly EnumValue[];
  readonly BuiltIn: boolean;
}
export interface SchemaDefinition extends Positioned {
  readonly Description: string;
  readonly Directives?: readonly Directive[];
  readonly OperationTypes?: readonly { readonly Operation: string; readonly Type: string }[];
}
export interface DirectiveDefinition extends Positioned {
  readonly Description: string;
  readonly Name: string;
  readonly Arguments?: readonly FieldDefinition[];
  readonly Locations?: readonly string[];
  readonly IsRepeatable: boolean;
}
export interface SchemaDocument {
  readonly Schema?: readonly SchemaDefinition[];
  readonly SchemaExtension?: readonly SchemaDefinition[];
  readonly Directives?: readonly DirectiveDefinition[];
  readonly Definitions?: readonly Definition[];
  readonly Extensions?: readonly Definition[];
}

/** `asWritten`: whether a full stop at the end of `detail` is kept, as in errors about characters. */
export class GraphqlError extends Error {
  constructor(
    readonly detail: string,
    readonly position: Position | undefined,
    asWritten = false,
  ) {
    const message = asWritten ? detail : detail.replace(/(?<!\.)\.$/, '');
    super(
      position === undefined ? message : `${message} in GraphQL string at location ${position.line}:${position.column}`,
    );
  }
}

/** Returns an object with the list, or an empty object if the list is empty. */
export function filled<K extends string, T>(name: K, list: readonly T[]): { [key in K]?: readonly T[] } {
  return (list.length === 0 ? {} : { [name]: list }) as { [key in K]?: readonly T[] };
}

export function typeText(type: TypeRef): string {
  const inner = type.Elem === undefined ? type.NamedType : `[${typeText(type.Elem)}]`;
  return type.NonNull ? `${inner}!` : inner;
}
