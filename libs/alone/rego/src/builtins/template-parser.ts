import { parseNumber } from '../values/decimal.js';
import type { Value } from '../values/value.js';
import { BuiltinError } from './types.js';

/** An operand of an action, with the fields that are read from it. */
export interface Operand {
  readonly from:
    | { readonly kind: 'dot' }
    | { readonly kind: 'variable'; readonly name: string }
    | { readonly kind: 'function'; readonly name: string }
    | { readonly kind: 'literal'; readonly value: Value }
    | { readonly kind: 'pipeline'; readonly pipeline: Pipeline };
  readonly fields: readonly string[];
}

export interface Pipeline {
  /** Variables to which the result is assigned; `range` can declare two. */
  readonly variables: readonly string[];
  /** Whether the variables are declared (`:=`). */
  readonly declares: boolean;
  /** Each command receives the result of the previous one as its last argument. */
  readonly commands: readonly (readonly Operand[])[];
}

export interface Block {
  readonly kind: 'if' | 'range' | 'with';
  readonly pipeline: Pipeline;
  readonly body: Node[];
  readonly otherwise: Node[];
}

export type Node = string | { readonly kind: 'action'; readonly pipeline: Pipeline } | Block;

const MOST_NESTING = 100;
const TOKEN = /\s*(?:(:=|[|(),=])|("(?:[^"\\\n]|\\.)*")|`([^`]*)`|(-?\d[\w.]*)|(\$?\w*(?:\.\w+)*\.?))/y;

export function fault(message: string): BuiltinError {
  return new BuiltinError(`template: ${message}`);
}

interface Open {
  readonly block: Block | undefined;
  /** Whether the block was opened by `{{else if}}`, so that it ends together with the block around it. */
  readonly chained: boolean;
  list: Node[];
  inElse: boolean;
}

/** Reads a template of Go's `text/template`. Throws `BuiltinError`. */
export function parseTemplate(template: string): readonly Node[] {
  return new TemplateParser(template).parse();
}

class TemplateParser {
  private readonly root: Node[] = [];
  private readonly open: Open[] = [{ block: undefined, chained: false, list: this.root, inElse: false }];

  constructor(private readonly template: string) {}

  parse(): readonly Node[] {
    let at = 0;
    let trim = false;
    for (;;) {
      const start = this.template.indexOf('{{', at);
      if (start < 0) break;
      const end = this.template.indexOf('}}', start);
      if (end < 0) throw fault('unclosed action');
      let action = this.template.slice(start + 2, end);
      this.text(this.template.slice(at, start), trim, /^-\s/.test(action));
      action = action.replace(/^-\s/, '');
      trim = /\s-$/.test(action);
      this.action((trim ? action.slice(0, -1) : action).trim());
      at = end + 2;
    }
    this.text(this.template.slice(at), trim, false);
    if (this.open.length > 1) throw fault('unexpected EOF');
    return this.root;
  }

  private get current(): Open {
    return this.open[this.open.length - 1] as Open;
  }

  private text(raw: string, trimStart: boolean, trimEnd: boolean): void {
    const left = trimStart ? raw.trimStart() : raw;
    const piece = trimEnd ? left.trimEnd() : left;
    if (piece !== '') this.current.list.push(piece);
  }

  private action(action: string): void {
    if (action.startsWith('/*') && action.endsWith('*/')) return;
    const [, word = '', rest = ''] = /^(if|range|with|else|end)(?:\s+(.*))?$/s.exec(action) ?? [];
    if (word === 'if' || word === 'range' || word === 'with') this.begin(word, rest, false);
    else if (word === 'else') this.otherwise(rest);
    else if (word === 'end') this.end(rest);
    else this.current.list.push({ kind: 'action', pipeline: new ActionParser(action).pipeline(1) });
  }

  private begin(kind: Block['kind'], text: string, chained: boolean): void {
    if (this.open.length > MOST_NESTING) throw fault('nested too deeply');
    const pipeline = new ActionParser(text).pipeline(kind === 'range' ? 2 : 1);
    const block: Block = { kind, pipeline, body: [], otherwise: [] };
    this.current.list.push(block);
    this.open.push({ block, chained, list: block.body, inElse: false });
  }

  private otherwise(rest: string): void {
    const { current } = this;
    if (current.block === undefined || current.inElse) throw fault('unexpected {{else}}');
    current.inElse = true;
    current.list = current.block.otherwise;
    if (rest === '') return;
    const [, word, condition = ''] = /^(if|with)\s+(.*)$/s.exec(rest) ?? [];
    if (word !== current.block.kind) throw fault(`unexpected ${JSON.stringify(rest)} in else`);
    this.begin(word, condition, true);
  }

  private end(rest: string): void {
    if (this.current.block === undefined || rest !== '') throw fault('unexpected {{end}}');
    while (this.current.chained) this.open.pop();
    this.open.pop();
  }
}

interface Token {
  readonly kind: 'symbol' | 'literal' | 'name';
  readonly text: string;
  readonly value?: Value;
}

class ActionParser {
  private readonly tokens: readonly Token[];
  private at = 0;

  constructor(action: string) {
    this.tokens = tokensOf(action);
  }

  /** Reads the whole action, which assigns its result to at most `mostVariables` variables. */
  pipeline(mostVariables: number): Pipeline {
    const { names, declares } = this.variables();
    if (names.length > mostVariables) throw fault('too many declarations');
    const pipeline = { variables: names, declares, commands: this.commands(0) };
    if (this.at < this.tokens.length) throw fault(`unexpected ${JSON.stringify(this.tokens[this.at]?.text)}`);
    return pipeline;
  }

  private accept(symbol: string): boolean {
    const token = this.tokens[this.at];
    if (token?.kind !== 'symbol' || token.text !== symbol) return false;
    this.at++;
    return true;
  }

  private variables(): { names: string[]; declares: boolean } {
    const names: string[] = [];
    for (;;) {
      const token = this.tokens[this.at];
      if (token?.kind !== 'name' || !/^\$\w+$/.test(token.text)) break;
      this.at++;
      names.push(token.text);
      if (!this.accept(',')) break;
    }
    if (names.length > 0 && this.accept(':=')) return { names, declares: true };
    if (names.length > 0 && this.accept('=')) return { names, declares: false };
    this.at = 0;
    return { names: [], declares: false };
  }

  private commands(depth: number): (readonly Operand[])[] {
    if (depth > MOST_NESTING) throw fault('nested too deeply');
    const commands: Operand[][] = [];
    do {
      const operands: Operand[] = [];
      for (let next = this.operand(depth); next !== undefined; next = this.operand(depth)) operands.push(next);
      const [first] = operands;
      if (first === undefined) throw fault('missing value for command');
      if (first.from.kind !== 'function' && operands.length > 1) throw fault('only a function takes arguments');
      if (first.from.kind !== 'function' && commands.length > 0) throw fault('only a function can end a pipeline');
      commands.push(operands);
    } while (this.accept('|'));
    return commands;
  }

  private operand(depth: number): Operand | undefined {
    const token = this.tokens[this.at];
    if (token === undefined) return undefined;
    if (token.kind === 'symbol') {
      if (!this.accept('(')) return undefined;
      const pipeline: Pipeline = { variables: [], declares: false, commands: this.commands(depth + 1) };
      if (!this.accept(')')) throw fault('unclosed left paren');
      return { from: { kind: 'pipeline', pipeline }, fields: this.fieldsThatFollow() };
    }
    this.at++;
    if (token.kind === 'literal') return { from: { kind: 'literal', value: token.value ?? null }, fields: [] };
    return named(token.text);
  }

  private fieldsThatFollow(): readonly string[] {
    const token = this.tokens[this.at];
    if (token?.kind !== 'name' || !token.text.startsWith('.') || token.text === '.') return [];
    this.at++;
    return token.text.slice(1).split('.');
  }
}

function tokensOf(action: string): readonly Token[] {
  const tokens: Token[] = [];
  const text = action.trimEnd();
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const [whole = '', symbol, quoted, raw, number, name] = TOKEN.exec(text) ?? [];
    if (whole.trim() === '') throw fault(`unexpected ${JSON.stringify(text.slice(at, at + 20))}`);
    if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol });
    else if (quoted !== undefined) tokens.push({ kind: 'literal', text: quoted, value: unquoted(quoted) });
    else if (raw !== undefined) tokens.push({ kind: 'literal', text: raw, value: raw });
    else if (number !== undefined) tokens.push({ kind: 'literal', text: number, value: numberOf(number) });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name });
  }
  return tokens;
}

function unquoted(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw fault('unterminated quoted string');
  }
}

function numberOf(text: string): Value {
  const value = parseNumber(text);
  if (value === undefined) throw fault(`bad number syntax: ${JSON.stringify(text)}`);
  return value;
}

const CONSTANTS: Readonly<Record<string, Value>> = { true: true, false: false, nil: null };

function named(text: string): Operand {
  if (text === '.') return { from: { kind: 'dot' }, fields: [] };
  if (text.endsWith('.')) throw fault(`unexpected "." after ${JSON.stringify(text.slice(0, -1))}`);
  const [head = '', ...fields] = text.split('.');
  if (head === '') return { from: { kind: 'dot' }, fields };
  if (head.startsWith('$')) return { from: { kind: 'variable', name: head }, fields };
  if (fields.length > 0) throw fault(`unexpected ${JSON.stringify(text)}`);
  if (Object.hasOwn(CONSTANTS, head)) return { from: { kind: 'literal', value: CONSTANTS[head] ?? null }, fields };
  return { from: { kind: 'function', name: head }, fields };
}
