import { filled, GraphqlError, POSITION } from './ast.js';
import type {
  Argument,
  Directive,
  Fragment,
  Operation,
  Position,
  QueryDocument,
  Selection,
  TypeRef,
  ValueNode,
  VariableDefinition,
} from './ast.js';
import { GraphqlLexer } from './lexer.js';
import type { Token } from './lexer.js';

const MAX_DEPTH = 200;
const MAX_TOKENS = 100_000;
const KINDS: Readonly<Record<string, number>> = { int: 1, float: 2, string: 3, block: 4 };

/** Parses the parts that queries and schemas have in common: names, values, types, directives. */
export class GraphqlParser {
  private readonly lexer: GraphqlLexer;
  protected token: Token;
  private depth = 0;
  private tokens = 0;

  constructor(text: string) {
    this.lexer = new GraphqlLexer(text);
    this.token = this.lexer.next();
  }

  protected advance(): Token {
    const token = this.token;
    if (++this.tokens > MAX_TOKENS) throw new GraphqlError('exceeded token limit', token);
    this.token = this.lexer.next();
    return token;
  }

  protected get place(): { [POSITION]: Position } {
    return { [POSITION]: { line: this.token.line, column: this.token.column } };
  }

  protected is(text: string): boolean {
    return this.token.kind === 'punctuator' && this.token.text === text;
  }

  protected isName(text: string): boolean {
    return this.token.kind === 'name' && this.token.text === text;
  }

  protected accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.advance();
    return true;
  }

  protected acceptName(text: string): boolean {
    if (!this.isName(text)) return false;
    this.advance();
    return true;
  }

  protected expect(text: string): void {
    if (!this.accept(text)) throw new GraphqlError(`Expected ${text}, found ${describe(this.token)}`, this.token);
  }

  protected unexpected(token: Token = this.token): never {
    throw new GraphqlError(`Unexpected ${describe(token, true)}`, token);
  }

  protected name(): string {
    if (this.token.kind !== 'name') throw new GraphqlError(`Expected Name, found ${describe(this.token)}`, this.token);
    return this.advance().text;
  }

  protected nested<T>(parse: () => T): T {
    if (++this.depth > MAX_DEPTH) throw new GraphqlError('nested too deeply', this.token);
    const result = parse();
    this.depth--;
    return result;
  }

  /** Reads at least one item between brackets. Returns an empty list if there is no opening bracket. */
  protected some<T>(open: string, close: string, item: () => T): T[] {
    if (!this.accept(open)) return [];
    const items: T[] = [];
    while (!this.is(close)) {
      if (this.token.kind === 'invalid') this.unexpected();
      items.push(item());
    }
    if (items.length === 0)
      throw new GraphqlError(`expected at least one definition, found ${describe(this.token)}`, this.token);
    this.advance();
    return items;
  }

  protected type(): TypeRef {
    return this.nested(() => {
      const place = this.place;
      if (this.accept('[')) {
        const inner = this.type();
        this.expect(']');
        return { NamedType: '', Elem: inner, NonNull: this.accept('!'), ...place };
      }
      return { NamedType: this.name(), NonNull: this.accept('!'), ...place };
    });
  }

  protected value(constant: boolean): ValueNode {
    return this.nested(() => this.valueNode(constant));
  }

  private valueNode(constant: boolean): ValueNode {
    const place = this.place;
    const node = (Kind: number, Raw: string): ValueNode => ({ Kind, Raw, ExpectedTypeHasDefault: false, ...place });
    const { token } = this;
    if (this.is('$')) {
      if (constant) this.unexpected();
      this.advance();
      return node(0, this.name());
    }
    if (this.is('[')) {
      this.advance();
      const children: { Name: string; Value: ValueNode }[] = [];
      while (!this.accept(']')) children.push({ Name: '', Value: this.value(constant) });
      return { ...node(8, ''), ...filled('Children', children) };
    }
    if (this.is('{')) return { ...node(9, ''), ...filled('Children', this.objectFields(constant)) };
    if (token.kind === 'name') {
      this.advance();
      return node(token.text === 'true' || token.text === 'false' ? 5 : token.text === 'null' ? 6 : 7, token.text);
    }
    const kind = KINDS[token.kind];
    if (kind === undefined) this.unexpected();
    this.advance();
    return node(kind, token.text);
  }

  private objectFields(constant: boolean): { Name: string; Value: ValueNode }[] {
    this.advance();
    const fields: { Name: string; Value: ValueNode }[] = [];
    while (!this.accept('}')) {
      const name = this.name();
      this.expect(':');
      fields.push({ Name: name, Value: this.value(constant) });
    }
    return fields;
  }

  protected directives(constant: boolean): Directive[] {
    const directives: Directive[] = [];
    while (this.is('@')) {
      this.advance();
      const place = this.place;
      directives.push({ Name: this.name(), ...filled('Arguments', this.arguments(constant)), Location: '', ...place });
    }
    return directives;
  }

  protected arguments(constant: boolean): Argument[] {
    return this.some('(', ')', () => {
      const place = this.place;
      const name = this.name();
      this.expect(':');
      return { Name: name, Value: this.value(constant), ...place };
    });
  }
}

/** Returns a token as messages show it. Names are quoted only in messages about unexpected names. */
function describe(token: Token, quoted = false): string {
  switch (token.kind) {
    case 'end':
      return '<EOF>';
    case 'invalid':
      return '<Invalid>';
    case 'punctuator':
      return token.text;
    default: {
      const kind = { name: 'Name', int: 'Int', float: 'Float', string: 'String', block: 'BlockString' }[token.kind];
      return quoted ? `${kind} ${JSON.stringify(token.text)}` : kind;
    }
  }
}

class QueryParser extends GraphqlParser {
  document(): QueryDocument {
    const operations: Operation[] = [];
    const fragments: Fragment[] = [];
    while (this.token.kind !== 'end') {
      if (this.isName('fragment')) fragments.push(this.fragment());
      else operations.push(this.operation());
    }
    return { ...filled('Operations', operations), ...filled('Fragments', fragments) };
  }

  private operation(): Operation {
    const place = this.place;
    if (this.is('{')) return { Operation: 'query', Name: '', SelectionSet: this.selections(), ...place };
    if (!['query', 'mutation', 'subscription'].some((word) => this.isName(word))) this.unexpected();
    const operation = this.name();
    const name = this.token.kind === 'name' ? this.name() : '';
    return {
      Operation: operation,
      Name: name,
      ...filled('VariableDefinitions', this.variables()),
      ...filled('Directives', this.directives(false)),
      SelectionSet: this.requiredSelections(),
      ...place,
    };
  }

  private variables(): VariableDefinition[] {
    return this.some('(', ')', () => {
      const place = this.place;
      this.expect('$');
      const variable = this.name();
      this.expect(':');
      const type = this.type();
      const value = this.accept('=') ? { DefaultValue: this.value(true) } : {};
      return {
        Variable: variable,
        Type: type,
        ...value,
        ...filled('Directives', this.directives(false)),
        Used: false,
        ...place,
      };
    });
  }

  private fragment(): Fragment {
    const place = this.place;
    this.advance();
    if (this.isName('on')) this.unexpected();
    const name = this.name();
    const variables = this.variables();
    if (!this.acceptName('on'))
      throw new GraphqlError(
        `Expected "on", found ${this.token.kind === 'end' ? '<EOF>' : this.token.text}`,
        this.token,
      );
    return {
      Name: name,
      ...filled('VariableDefinition', variables),
      TypeCondition: this.name(),
      ...filled('Directives', this.directives(false)),
      SelectionSet: this.requiredSelections(),
      ...place,
    };
  }

  private requiredSelections(): readonly Selection[] {
    if (!this.is('{')) this.expect('{');
    return this.selections();
  }

  private selections(): Selection[] {
    return this.nested(() => this.some('{', '}', () => this.selection()));
  }

  private selection(): Selection {
    const place = this.place;
    if (this.accept('...')) return { ...this.spread(), ...place };
    const first = this.name();
    const name = this.accept(':') ? this.name() : first;
    return {
      Alias: first,
      Name: name,
      ...filled('Arguments', this.arguments(false)),
      ...filled('Directives', this.directives(false)),
      ...filled('SelectionSet', this.selections()),
      ...place,
    };
  }

  private spread(): Selection {
    if (this.token.kind === 'name' && !this.isName('on'))
      return { Name: this.name(), ...filled('Directives', this.directives(false)) };
    const condition = this.acceptName('on') ? this.name() : '';
    return {
      TypeCondition: condition,
      ...filled('Directives', this.directives(false)),
      SelectionSet: this.requiredSelections(),
    };
  }
}

export function parseGraphqlQuery(text: string): QueryDocument {
  return new QueryParser(text).document();
}
