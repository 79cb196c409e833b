import { filled } from './ast.js';
import type {
  Definition,
  DirectiveDefinition,
  EnumValue,
  FieldDefinition,
  SchemaDefinition,
  SchemaDocument,
} from './ast.js';
import { GraphqlParser } from './parser.js';

const KINDS: Readonly<Record<string, string>> = {
  scalar: 'SCALAR',
  type: 'OBJECT',
  interface: 'INTERFACE',
  union: 'UNION',
  enum: 'ENUM',
  input: 'INPUT_OBJECT',
};

class SchemaParser extends GraphqlParser {
  private readonly schema: SchemaDefinition[] = [];
  private readonly schemaExtension: SchemaDefinition[] = [];
  private readonly directiveDefinitions: DirectiveDefinition[] = [];
  private readonly definitions: Definition[] = [];
  private readonly extensions: Definition[] = [];

  document(): SchemaDocument {
    while (this.token.kind !== 'end') this.statement();
    return {
      ...filled('Schema', this.schema),
      ...filled('SchemaExtension', this.schemaExtension),
      ...filled('Directives', this.directiveDefinitions),
      ...filled('Definitions', this.definitions),
      ...filled('Extensions', this.extensions),
    };
  }

  private description(): string {
    return this.token.kind === 'string' || this.token.kind === 'block' ? this.advance().text : '';
  }

  private statement(): void {
    const description = this.description();
    if (this.token.kind !== 'name') this.unexpected();
    if (this.acceptName('extend')) this.extension();
    else if (this.isName('schema')) this.schema.push(this.schemaDefinition(description, true));
    else if (this.isName('directive')) this.directiveDefinitions.push(this.directiveDefinition(description));
    else this.definitions.push(this.definition(description));
  }

  private extension(): void {
    if (this.isName('schema')) {
      const extended = this.schemaDefinition('', false);
      if (extended.Directives === undefined && extended.OperationTypes === undefined) this.unexpected();
      this.schemaExtension.push(extended);
      return;
    }
    const extended = this.definition('');
    const parts = [extended.Directives, extended.Interfaces, extended.Fields, extended.Types, extended.EnumValues];
    if (parts.every((part) => part === undefined)) this.unexpected();
    this.extensions.push(extended);
  }

  private schemaDefinition(description: string, required: boolean): SchemaDefinition {
    const place = this.place;
    this.advance();
    const directives = this.directives(true);
    if (required && !this.is('{')) this.expect('{');
    const types = this.some('{', '}', () => {
      const operation = this.name();
      if (!['query', 'mutation', 'subscription'].includes(operation)) this.unexpected();
      this.expect(':');
      return { Operation: operation, Type: this.name() };
    });
    return {
      Description: description,
      ...filled('Directives', directives),
      ...filled('OperationTypes', types),
      ...place,
    };
  }

  private definition(description: string): Definition {
    const place = this.place;
    const kind = Object.hasOwn(KINDS, this.token.text) ? KINDS[this.token.text] : undefined;
    if (kind === undefined) this.unexpected();
    this.advance();
    const name = this.name();
    const interfaces = kind === 'OBJECT' || kind === 'INTERFACE' ? this.interfaces() : [];
    const directives = this.directives(true);
    return {
      Kind: kind,
      Description: description,
      Name: name,
      ...filled('Directives', directives),
      ...filled('Interfaces', interfaces),
      ...filled('Fields', this.fieldsOf(kind)),
      ...filled('Types', kind === 'UNION' ? this.members() : []),
      ...filled('EnumValues', kind === 'ENUM' ? this.some('{', '}', () => this.enumValue()) : []),
      BuiltIn: false,
      ...place,
    };
  }

  private fieldsOf(kind: string): FieldDefinition[] {
    if (kind === 'INPUT_OBJECT') return this.some('{', '}', () => this.inputValue());
    return kind === 'OBJECT' || kind === 'INTERFACE' ? this.some('{', '}', () => this.field()) : [];
  }

  private interfaces(): string[] {
    const names: string[] = [];
    if (!this.acceptName('implements')) return names;
    this.accept('&');
    do names.push(this.name());
    while (this.accept('&') || this.token.kind === 'name');
    return names;
  }

  private members(): string[] {
    const names: string[] = [];
    if (!this.accept('=')) return names;
    this.accept('|');
    do names.push(this.name());
    while (this.accept('|'));
    return names;
  }

  private enumValue(): EnumValue {
    const description = this.description();
    const place = this.place;
    if (['true', 'false', 'null'].includes(this.token.text)) this.unexpected();
    return { Description: description, Name: this.name(), ...filled('Directives', this.directives(true)), ...place };
  }

  private field(): FieldDefinition {
    const description = this.description();
    const place = this.place;
    const name = this.name();
    const args = this.some('(', ')', () => this.inputValue());
    this.expect(':');
    return {
      Description: description,
      Name: name,
      ...filled('Arguments', args),
      Type: this.type(),
      ...filled('Directives', this.directives(true)),
      ...place,
    };
  }

  private inputValue(): FieldDefinition {
    const description = this.description();
    const place = this.place;
    const name = this.name();
    this.expect(':');
    const type = this.type();
    const value = this.accept('=') ? { DefaultValue: this.value(true) } : {};
    return {
      Description: description,
      Name: name,
      Type: type,
      ...value,
      ...filled('Directives', this.directives(true)),
      ...place,
    };
  }

  private directiveDefinition(description: string): DirectiveDefinition {
    const place = this.place;
    this.advance();
    this.expect('@');
    const name = this.name();
    const args = this.some('(', ')', () => this.inputValue());
    const repeatable = this.acceptName('repeatable');
    if (!this.acceptName('on')) this.unexpected();
    this.accept('|');
    const locations: string[] = [];
    do {
      if (!LOCATIONS.has(this.token.text)) this.unexpected();
      locations.push(this.name());
    } while (this.accept('|'));
    return {
      Description: description,
      Name: name,
      ...filled('Arguments', args),
      Locations: locations,
      IsRepeatable: repeatable,
      ...place,
    };
  }
}

const LOCATIONS = new Set([
  'QUERY',
  'MUTATION',
  'SUBSCRIPTION',
  'FIELD',
  'FRAGMENT_DEFINITION',
  'FRAGMENT_SPREAD',
  'INLINE_FRAGMENT',
  'VARIABLE_DEFINITION',
  'SCHEMA',
  'SCALAR',
  'OBJECT',
  'FIELD_DEFINITION',
  'ARGUMENT_DEFINITION',
  'INTERFACE',
  'UNION',
  'ENUM',
  'ENUM_VALUE',
  'INPUT_OBJECT',
  'INPUT_FIELD_DEFINITION',
]);

export function parseGraphqlSchema(text: string): SchemaDocument {
  return new SchemaParser(text).document();
}
