import { GraphqlError, POSITION, typeText } from './ast.js';
import type {
  Argument,
  Directive,
  FieldDefinition,
  Fragment,
  Operation,
  Positioned,
  QueryDocument,
  Selection,
  TypeRef,
  ValueNode,
  VariableDefinition,
} from './ast.js';
import { OverlapChecker } from './overlaps.js';
import { baseName } from './schema.js';
import { didYouMean, namesOf } from './suggestions.js';
import { checkValue, type ValueUse } from './value-checker.js';
import { fits } from './values.js';
import type { Schema } from './schema.js';

const TYPENAME: FieldDefinition = { Description: '', Name: '__typename', Type: { NamedType: 'String', NonNull: true } };
const SCHEMA_FIELDS: readonly FieldDefinition[] = [
  { Description: '', Name: '__schema', Type: { NamedType: '__Schema', NonNull: true } },
  {
    Description: '',
    Name: '__type',
    Type: { NamedType: '__Type', NonNull: false },
    Arguments: [{ Description: '', Name: 'name', Type: { NamedType: 'String', NonNull: true } }],
  },
];
const COMPOSITE = ['OBJECT', 'INTERFACE', 'UNION'];
const INPUT = ['SCALAR', 'ENUM', 'INPUT_OBJECT'];

/** Throws the first fault of a query against a schema. */
export function validateQuery(schema: Schema, document: QueryDocument): void {
  new QueryValidator(schema, document).run();
}

interface Usage {
  readonly variables: Map<string, ValueUse[]>;
  readonly fragments: Set<string>;
}

class QueryValidator {
  private readonly fragments = new Map<string, Fragment>();
  private usage: Usage = { variables: new Map(), fragments: new Set() };
  private readonly usages = new Map<string, Usage>();

  constructor(
    private readonly schema: Schema,
    private readonly document: QueryDocument,
  ) {}

  run(): void {
    const operations = this.document.Operations ?? [];
    this.checkNames(operations);
    for (const fragment of this.document.Fragments ?? []) this.fragment(fragment);
    this.checkCycles();
    const used = new Set<string>();
    for (const operation of operations) this.operation(operation, used);
    this.checkOverlaps(operations);
    for (const [name, fragment] of this.fragments) {
      if (!used.has(name)) throw new GraphqlError(`Fragment "${name}" is never used.`, fragment[POSITION]);
    }
  }

  private checkOverlaps(operations: readonly Operation[]): void {
    const checker = new OverlapChecker(this.schema, this.fragments, (parent, name) => this.fieldOf(parent, name));
    for (const operation of operations) {
      const root = this.schema.roots.get(operation.Operation) ?? '';
      const names = checker.check(operation.SelectionSet ?? [], root);
      if (operation.Operation !== 'subscription' || names.length < 2) continue;
      const subscription = operation.Name === '' ? 'Anonymous Subscription' : `Subscription "${operation.Name}"`;
      throw new GraphqlError(`${subscription} must select only one top level field.`, operation[POSITION]);
    }
  }

  private checkNames(operations: readonly Operation[]): void {
    const names = new Set<string>();
    for (const operation of operations) {
      if (operation.Name === '' && operations.length > 1)
        throw new GraphqlError('This anonymous operation must be the only defined operation.', operation[POSITION]);
      if (names.has(operation.Name))
        throw new GraphqlError(`There can be only one operation named "${operation.Name}".`, operation[POSITION]);
      names.add(operation.Name);
    }
    for (const fragment of this.document.Fragments ?? []) {
      if (this.fragments.has(fragment.Name))
        throw new GraphqlError(`There can be only one fragment named "${fragment.Name}".`, fragment[POSITION]);
      this.fragments.set(fragment.Name, fragment);
    }
  }

  private fragment(fragment: Fragment): void {
    this.usage = { variables: new Map(), fragments: new Set() };
    this.composite(
      fragment.TypeCondition,
      `Fragment "${fragment.Name}" cannot condition on non composite type "${fragment.TypeCondition}".`,
      fragment,
    );
    this.directives(fragment.Directives, 'FRAGMENT_DEFINITION');
    this.selections(fragment.SelectionSet ?? [], fragment.TypeCondition);
    this.usages.set(fragment.Name, this.usage);
  }

  private composite(name: string, message: string, node: Selection | Fragment): void {
    const type = this.schema.types.get(name);
    if (type === undefined) throw this.unknownType(name, node);
    if (!COMPOSITE.includes(type.Kind)) throw new GraphqlError(message, node[POSITION]);
  }

  private unknownType(name: string, node: Positioned): GraphqlError {
    return new GraphqlError(
      `Unknown type "${name}".${didYouMean(name, [...this.schema.types.keys()])}`,
      node[POSITION],
    );
  }

  private checkCycles(): void {
    for (const [name, fragment] of this.fragments) {
      const reached = new Set(this.usages.get(name)?.fragments);
      for (const other of reached) for (const next of this.usages.get(other)?.fragments ?? []) reached.add(next);
      if (reached.has(name))
        throw new GraphqlError(`Cannot spread fragment "${name}" within itself.`, fragment[POSITION]);
    }
  }

  private operation(operation: Operation, used: Set<string>): void {
    const root = this.schema.roots.get(operation.Operation);
    if (root === undefined)
      throw new GraphqlError(`Schema does not support operation type "${operation.Operation}"`, operation[POSITION]);
    this.usage = { variables: new Map(), fragments: new Set() };
    const variables = new Map<string, VariableDefinition>();
    for (const variable of operation.VariableDefinitions ?? []) {
      if (variables.has(variable.Variable))
        throw new GraphqlError(`There can be only one variable named "$${variable.Variable}".`, variable[POSITION]);
      variables.set(variable.Variable, variable);
      this.variable(variable);
    }
    this.directives(operation.Directives, operation.Operation.toUpperCase());
    this.selections(operation.SelectionSet ?? [], root);
    const usages = [this.usage];
    const reached = new Set(this.usage.fragments);
    for (const name of reached) {
      const usage = this.usages.get(name);
      if (usage === undefined) continue;
      usages.push(usage);
      for (const next of usage.fragments) reached.add(next);
    }
    for (const name of reached) used.add(name);
    this.checkVariables(operation, variables, usages);
  }

  private variable(variable: VariableDefinition): void {
    const name = baseName(variable.Type);
    const type = this.schema.types.get(name);
    if (type === undefined) throw this.unknownType(name, variable);
    if (!INPUT.includes(type.Kind))
      throw new GraphqlError(
        `Variable "$${variable.Variable}" cannot be non-input type "${typeText(variable.Type)}".`,
        variable[POSITION],
      );
    if (variable.DefaultValue !== undefined) this.value(variable.DefaultValue, variable.Type, false);
    this.directives(variable.Directives, 'VARIABLE_DEFINITION');
  }

  private checkVariables(
    operation: Operation,
    variables: ReadonlyMap<string, VariableDefinition>,
    usages: readonly Usage[],
  ): void {
    const seen = new Set<string>();
    for (const usage of usages) {
      for (const [name, places] of usage.variables) {
        seen.add(name);
        const variable = variables.get(name);
        const where = operation.Name === '' ? '' : ` by operation "${operation.Name}"`;
        if (variable === undefined)
          throw new GraphqlError(`Variable "$${name}" is not defined${where}.`, places[0]?.node[POSITION]);
        for (const { type, hasDefault, node } of places) {
          if (type !== undefined && !this.allows(variable, type, hasDefault)) {
            throw new GraphqlError(
              `Variable "$${name}" of type "${typeText(variable.Type)}" used in position expecting type "${typeText(type)}".`,
              node[POSITION],
            );
          }
        }
      }
    }
    for (const [name, variable] of variables) {
      const where = operation.Name === '' ? '' : ` in operation "${operation.Name}"`;
      if (!seen.has(name)) throw new GraphqlError(`Variable "$${name}" is never used${where}.`, variable[POSITION]);
    }
  }

  /** A nullable variable with a default is allowed where null is not. */
  private allows(variable: VariableDefinition, place: TypeRef, hasDefault: boolean): boolean {
    const known = variable.DefaultValue !== undefined && variable.DefaultValue.Kind !== 6;
    const wanted =
      place.NonNull && !variable.Type.NonNull && (known || hasDefault) ? { ...place, NonNull: false } : place;
    return fits(variable.Type, wanted);
  }

  private selections(selections: readonly Selection[], parent: string): void {
    for (const selection of selections) {
      if (selection.Alias !== undefined) this.field(selection, parent);
      else if (selection.Name !== undefined) this.spread(selection, parent);
      else this.inline(selection, parent);
    }
  }

  private fieldOf(parent: string, name: string): FieldDefinition | undefined {
    const type = this.schema.types.get(parent);
    if (name === '__typename' && type !== undefined) return TYPENAME;
    if (this.schema.roots.get('query') === parent) {
      const meta = SCHEMA_FIELDS.find((field) => field.Name === name);
      if (meta !== undefined) return meta;
    }
    return type?.Fields?.find((field) => field.Name === name);
  }

  private field(selection: Selection, parent: string): void {
    const definition = this.fieldOf(parent, selection.Name ?? '');
    if (definition === undefined) throw this.unknownField(selection, parent);
    this.arguments(selection, definition, parent);
    this.directives(selection.Directives, 'FIELD');
    const name = baseName(definition.Type);
    const isComposite = COMPOSITE.includes(this.schema.types.get(name)?.Kind ?? '');
    if (isComposite && selection.SelectionSet === undefined) {
      throw new GraphqlError(
        `Field "${definition.Name}" of type "${typeText(definition.Type)}" must have a selection of subfields. Did you mean "${definition.Name} { ... }"?`,
        selection[POSITION],
      );
    }
    if (!isComposite && selection.SelectionSet !== undefined) {
      throw new GraphqlError(
        `Field "${definition.Name}" must not have a selection since type "${typeText(definition.Type)}" has no subfields.`,
        selection[POSITION],
      );
    }
    this.selections(selection.SelectionSet ?? [], name);
  }

  private unknownField(selection: Selection, parent: string): GraphqlError {
    const name = selection.Name ?? '';
    const known = (this.schema.types.get(parent)?.Fields ?? []).map((field) => field.Name);
    const message = `Cannot query field "${name}" on type "${parent}".${didYouMean(name, known)}`;
    return new GraphqlError(message, selection[POSITION]);
  }

  private arguments(selection: Selection, definition: FieldDefinition, parent: string): void {
    this.argumentList(
      selection.Arguments ?? [],
      definition.Arguments ?? [],
      (argument) =>
        new GraphqlError(
          `Unknown argument "${argument.Name}" on field "${parent}.${definition.Name}".${didYouMean(argument.Name, namesOf(definition.Arguments))}`,
          argument[POSITION],
        ),
    );
    for (const wanted of definition.Arguments ?? []) {
      const given = selection.Arguments?.some((argument) => argument.Name === wanted.Name) ?? false;
      if (wanted.Type.NonNull && wanted.DefaultValue === undefined && !given) {
        throw new GraphqlError(
          `Field "${definition.Name}" argument "${wanted.Name}" of type "${typeText(wanted.Type)}" is required, but it was not provided`,
          selection[POSITION],
        );
      }
    }
  }

  private argumentList(
    given: readonly Argument[],
    known: readonly FieldDefinition[],
    unknown: (argument: Argument) => GraphqlError,
  ): void {
    const names = new Set<string>();
    for (const argument of given) {
      const definition = known.find((candidate) => candidate.Name === argument.Name);
      if (definition === undefined) throw unknown(argument);
      if (names.has(argument.Name))
        throw new GraphqlError(`There can be only one argument named "${argument.Name}".`, argument[POSITION]);
      names.add(argument.Name);
      this.value(argument.Value, definition.Type, definition.DefaultValue !== undefined);
    }
  }

  private directives(directives: readonly Directive[] | undefined, location: string): void {
    const seen = new Set<string>();
    for (const directive of directives ?? []) {
      const known = this.schema.directives.get(directive.Name);
      if (known === undefined) throw new GraphqlError(`Unknown directive "@${directive.Name}".`, directive[POSITION]);
      if (!known.Locations?.includes(location))
        throw new GraphqlError(`Directive "@${directive.Name}" may not be used on ${location}.`, directive[POSITION]);
      if (seen.has(directive.Name) && !known.IsRepeatable) {
        throw new GraphqlError(
          `The directive "@${directive.Name}" can only be used once at this location.`,
          directive[POSITION],
        );
      }
      seen.add(directive.Name);
      this.argumentList(
        directive.Arguments ?? [],
        known.Arguments ?? [],
        (argument) =>
          new GraphqlError(
            `Unknown argument "${argument.Name}" on directive "@${directive.Name}".${didYouMean(argument.Name, namesOf(known.Arguments))}`,
            argument[POSITION],
          ),
      );
      for (const wanted of known.Arguments ?? []) {
        const given = directive.Arguments?.some((argument) => argument.Name === wanted.Name) ?? false;
        if (wanted.Type.NonNull && wanted.DefaultValue === undefined && !given) {
          throw new GraphqlError(
            `Directive "@${directive.Name}" argument "${wanted.Name}" of type "${typeText(wanted.Type)}" is required, but it was not provided.`,
            directive[POSITION],
          );
        }
      }
    }
  }

  private spread(selection: Selection, parent: string): void {
    const name = selection.Name ?? '';
    const fragment = this.fragments.get(name);
    if (fragment === undefined) throw new GraphqlError(`Unknown fragment "${name}".`, selection[POSITION]);
    this.usage.fragments.add(name);
    this.directives(selection.Directives, 'FRAGMENT_SPREAD');
    this.overlap(parent, fragment.TypeCondition, `Fragment "${name}"`, selection);
  }

  private inline(selection: Selection, parent: string): void {
    const condition = selection.TypeCondition ?? '';
    this.directives(selection.Directives, 'INLINE_FRAGMENT');
    if (condition !== '') {
      this.composite(condition, `Fragment cannot condition on non composite type "${condition}".`, selection);
      this.overlap(parent, condition, 'Fragment', selection);
    }
    this.selections(selection.SelectionSet ?? [], condition === '' ? parent : condition);
  }

  private overlap(parent: string, condition: string, what: string, selection: Selection): void {
    const possible = this.schema.possible(parent);
    for (const name of this.schema.possible(condition)) if (possible.has(name)) return;
    throw new GraphqlError(
      `${what} cannot be spread here as objects of type "${parent}" can never be of type "${condition}".`,
      selection[POSITION],
    );
  }

  private value(node: ValueNode, type: TypeRef, hasDefault: boolean): void {
    checkValue(this.schema, { node, type, hasDefault }, (use) => {
      const known = this.usage.variables.get(use.node.Raw);
      if (known === undefined) this.usage.variables.set(use.node.Raw, [use]);
      else known.push(use);
    });
  }
}
