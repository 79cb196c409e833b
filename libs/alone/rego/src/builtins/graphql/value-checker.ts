import { GraphqlError, POSITION, typeText } from './ast.js';
import type { Definition, TypeRef, ValueNode } from './ast.js';
import type { Schema } from './schema.js';
import { didYouMean, namesOf } from './suggestions.js';
import { fitsScalar, scalarFault, valueText } from './values.js';

/** A value and the type that its position expects. */
export interface ValueUse {
  readonly node: ValueNode;
  readonly type: TypeRef;
  readonly hasDefault: boolean;
}

/** Throws if a value does not have the expected type. Calls `onVariable` for each variable in it. */
export function checkValue(schema: Schema, use: ValueUse, onVariable: (use: ValueUse) => void): void {
  const { node, type } = use;
  const check: Check = (inner, wanted, hasDefault) =>
    checkValue(schema, { node: inner, type: wanted, hasDefault }, onVariable);
  if (node.Kind === 0) onVariable(use);
  else if (node.Kind === 6) {
    if (type.NonNull) fail(node, unexpected(use));
  } else if (type.Elem !== undefined) {
    const { Elem } = type;
    if (node.Kind === 8) for (const child of node.Children ?? []) check(child.Value, Elem, false);
    else check(node, Elem, false);
  } else {
    const definition = schema.types.get(type.NamedType);
    if (definition?.Kind === 'ENUM') checkEnum(definition, use);
    else if (definition?.Kind !== 'INPUT_OBJECT') {
      if (definition !== undefined && !fitsScalar(type.NamedType, node.Kind))
        fail(node, scalarFault(type, node) ?? unexpected(use));
    } else if (node.Kind === 9) checkMembers(node, definition, check);
    else fail(node, unexpected(use));
  }
}

type Check = (node: ValueNode, type: TypeRef, hasDefault: boolean) => void;

function fail(node: ValueNode, message: string): never {
  throw new GraphqlError(message, node[POSITION]);
}

function unexpected({ node, type }: ValueUse): string {
  return `Expected value of type "${typeText(type)}", found ${valueText(node)}.`;
}

function checkEnum(definition: Definition, { node, type }: ValueUse): void {
  const values = (definition.EnumValues ?? []).map((value) => value.Name);
  if (node.Kind !== 7) fail(node, `Enum "${typeText(type)}" cannot represent non-enum value: ${valueText(node)}.`);
  if (!values.includes(node.Raw))
    fail(node, `Value "${node.Raw}" does not exist in "${definition.Name}" enum.${didYouMean(node.Raw, values)}`);
}

function checkMembers(node: ValueNode, { Name: name, Fields: fields = [] }: Definition, check: Check): void {
  const known = new Map(fields.map((field) => [field.Name, field]));
  const given = new Set<string>();
  for (const { Name: member, Value: value } of node.Children ?? []) {
    if (given.has(member)) fail(value, `There can be only one input field named "${member}".`);
    given.add(member);
    const field = known.get(member);
    if (field === undefined)
      return fail(value, `Field "${member}" is not defined by type "${name}".${didYouMean(member, namesOf(fields))}`);
    check(value, field.Type, field.DefaultValue !== undefined);
  }
  for (const field of fields) {
    if (!field.Type.NonNull || field.DefaultValue !== undefined || given.has(field.Name)) continue;
    fail(node, `Field "${name}.${field.Name}" of required type "${typeText(field.Type)}" was not provided.`);
  }
}
