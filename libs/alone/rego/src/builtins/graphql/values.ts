import type { TypeRef, ValueNode } from './ast.js';

/** Returns whether a variable of a type is allowed where another type is expected. */
export function fits(type: TypeRef, wanted: TypeRef): boolean {
  if (wanted.NonNull && !type.NonNull) return false;
  if (wanted.Elem !== undefined || type.Elem !== undefined) {
    return wanted.Elem !== undefined && type.Elem !== undefined && fits(type.Elem, wanted.Elem);
  }
  return type.NamedType === wanted.NamedType;
}

/** Returns whether a value has the type of a scalar. Custom scalars accept any value. */
export function fitsScalar(name: string, kind: number): boolean {
  switch (name) {
    case 'Int':
      return kind === 1;
    case 'Float':
      return kind === 1 || kind === 2;
    case 'String':
      return kind === 3 || kind === 4;
    case 'Boolean':
      return kind === 5;
    case 'ID':
      return kind === 1 || kind === 3 || kind === 4;
    default:
      return true;
  }
}

/** Returns the fault of a value that does not have a built-in scalar type. */
export function scalarFault(type: TypeRef, node: ValueNode): string | undefined {
  const faults: Readonly<Record<string, string>> = {
    Int: 'Int cannot represent non-integer value',
    Float: 'Float cannot represent non numeric value',
    String: 'String cannot represent a non string value',
    Boolean: 'Boolean cannot represent a non boolean value',
    ID: 'ID cannot represent a non-string and non-integer value',
  };
  const fault = Object.hasOwn(faults, type.NamedType) ? faults[type.NamedType] : undefined;
  return fault === undefined ? undefined : `${fault}: ${valueText(node)}`;
}

export function valueText(node: ValueNode): string {
  if (node.Kind === 8) return `[${(node.Children ?? []).map((child) => valueText(child.Value)).join(',')}]`;
  if (node.Kind === 9)
    return `{${(node.Children ?? []).map((child) => `${child.Name}:${valueText(child.Value)}`).join(',')}}`;
  return node.Kind === 3 || node.Kind === 4 ? JSON.stringify(node.Raw) : node.Raw;
}
