import { GraphqlError, POSITION, typeText } from './ast.js';
import type { FieldDefinition, Fragment, Selection, TypeRef } from './ast.js';
import type { Schema } from './schema.js';
import { valueText } from './values.js';

/**
 * Maximum number of fields that are compared. Nested fragments can result in far more fields than a document contains.
 */
const MOST_FIELDS = 100_000;
const COMPOSITE = ['OBJECT', 'INTERFACE', 'UNION'];

interface Place {
  readonly selections: readonly Selection[];
  readonly parent: string;
}

interface Field {
  readonly selection: Selection;
  readonly parent: string;
  readonly type: TypeRef | undefined;
}

interface Conflict {
  readonly reason: string;
  readonly at: Selection;
}

/** Checks whether fields with the same name in the response can be merged. */
export class OverlapChecker {
  private compared = 0;
  private readonly done = new Set<string>();
  private readonly ids = new Map<Selection, number>();

  constructor(
    private readonly schema: Schema,
    private readonly fragments: ReadonlyMap<string, Fragment>,
    private readonly fieldOf: (parent: string, name: string) => FieldDefinition | undefined,
  ) {}

  /** Returns the names that the selections have in the response. Throws if two of their fields cannot be merged. */
  check(selections: readonly Selection[], parent: string): readonly string[] {
    const all = this.collect([{ selections, parent }]);
    for (const [name, fields] of all) {
      const [first, second] = fields;
      if (first === undefined) continue;
      if (second === undefined) {
        if (!this.isDone(fields, true))
          for (const place of placesIn(fields)) this.check(place.selections, place.parent);
        continue;
      }
      const conflict = this.conflictOf(fields, true);
      if (conflict === undefined) continue;
      const advice = 'Use different aliases on the fields to fetch both if this was intentional.';
      throw new GraphqlError(`Fields "${name}" conflict because ${conflict.reason}. ${advice}`, conflict.at[POSITION]);
    }
    return [...all.keys()];
  }

  private collect(places: readonly Place[]): Map<string, Field[]> {
    const fields = new Map<string, Field[]>();
    const spread = new Set<string>();
    const pending = places.toReversed();
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      const { selections, parent } = place;
      const inner: Place[] = [];
      for (const selection of selections) {
        if (++this.compared > MOST_FIELDS) throw new GraphqlError('exceeded field limit', selection[POSITION]);
        if (selection.Alias !== undefined) this.add(fields, selection, parent);
        else if (selection.Name === undefined)
          inner.push({ selections: selection.SelectionSet ?? [], parent: selection.TypeCondition || parent });
        else {
          const fragment = spread.has(selection.Name) ? undefined : this.fragments.get(selection.Name);
          spread.add(selection.Name);
          if (fragment !== undefined)
            inner.push({ selections: fragment.SelectionSet ?? [], parent: fragment.TypeCondition });
        }
      }
      pending.push(...inner.reverse());
    }
    return fields;
  }

  private add(fields: Map<string, Field[]>, selection: Selection, parent: string): void {
    const field = { selection, parent, type: this.fieldOf(parent, selection.Name ?? '')?.Type };
    const known = fields.get(selection.Alias ?? '');
    if (known === undefined) fields.set(selection.Alias ?? '', [field]);
    else known.push(field);
  }

  /**
   * `strict`: fields that cannot occur in the same object must be equal as well, instead of only having the same shape.
   */
  private conflictOf(fields: readonly Field[], strict: boolean): Conflict | undefined {
    const [first, ...others] = fields;
    if (first === undefined || this.isDone(fields, strict)) return undefined;
    for (const other of others) {
      if (first.type !== undefined && other.type !== undefined && this.differ(first.type, other.type)) {
        const reason = `they return conflicting types "${typeText(first.type)}" and "${typeText(other.type)}"`;
        return { reason, at: other.selection };
      }
    }
    if (!strict) return this.innerConflict(fields, false);
    const groups = this.together(fields);
    for (const group of groups) {
      const conflict = differentFields(group) ?? this.innerConflict(group, true);
      if (conflict !== undefined) return conflict;
    }
    return groups.length > 1 ? this.innerConflict(fields, false) : undefined;
  }

  private isDone(fields: readonly Field[], strict: boolean): boolean {
    const ids = fields.map(({ selection, parent }) => {
      if (!this.ids.has(selection)) this.ids.set(selection, this.ids.size);
      return `${this.ids.get(selection) ?? ''}:${parent}`;
    });
    const key = `${strict ? '!' : ''}${ids.join(' ')}`;
    if (this.done.has(key)) return true;
    this.done.add(key);
    return false;
  }

  /**
   * Returns groups of fields that can occur in the same object: those of each object type, together with those of all
   * abstract types.
   */
  private together(fields: readonly Field[]): Field[][] {
    const isObject = ({ parent }: Field): boolean => this.schema.types.get(parent)?.Kind === 'OBJECT';
    const abstract = fields.filter((field) => !isObject(field));
    const objects = new Map<string, Field[]>();
    for (const field of fields.filter(isObject)) {
      const own = objects.get(field.parent);
      if (own === undefined) objects.set(field.parent, [field]);
      else own.push(field);
    }
    return objects.size === 0 ? [abstract] : [...objects.values()].map((own) => [...abstract, ...own]);
  }

  private innerConflict(fields: readonly Field[], strict: boolean): Conflict | undefined {
    for (const [name, inner] of this.collect(placesIn(fields))) {
      const conflict = this.conflictOf(inner, strict);
      if (conflict !== undefined)
        return { reason: `subfields "${name}" conflict because ${conflict.reason}`, at: conflict.at };
    }
    return undefined;
  }

  private differ(a: TypeRef, b: TypeRef): boolean {
    if (a.NonNull !== b.NonNull || (a.Elem === undefined) !== (b.Elem === undefined)) return true;
    if (a.Elem !== undefined && b.Elem !== undefined) return this.differ(a.Elem, b.Elem);
    const isLeaf = ({ NamedType }: TypeRef): boolean =>
      !COMPOSITE.includes(this.schema.types.get(NamedType)?.Kind ?? '');
    return (isLeaf(a) || isLeaf(b)) && a.NamedType !== b.NamedType;
  }
}

function placesIn(fields: readonly Field[]): Place[] {
  return fields.flatMap(({ selection, type }) =>
    type === undefined || selection.SelectionSet === undefined
      ? []
      : [{ selections: selection.SelectionSet, parent: nameOf(type) }],
  );
}

function nameOf(type: TypeRef): string {
  return type.Elem === undefined ? type.NamedType : nameOf(type.Elem);
}

function differentFields([first, ...others]: readonly Field[]): Conflict | undefined {
  for (const { selection } of others) {
    const [a, b] = [first?.selection.Name ?? '', selection.Name ?? ''];
    if (a !== b) return { reason: `"${a}" and "${b}" are different fields`, at: selection };
    if (argumentsText(first?.selection) !== argumentsText(selection))
      return { reason: 'they have differing arguments', at: selection };
  }
  return undefined;
}

function argumentsText(selection: Selection | undefined): string {
  const texts = (selection?.Arguments ?? []).map(({ Name, Value }) => `${Name}:${Value.Kind}${valueText(Value)}`);
  return texts.toSorted().join(',');
}
