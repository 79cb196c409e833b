import type { Run } from '../evaluate/run.js';
import { valueText } from '../values/text.js';
import { isArray, lookup, RegoObject, RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';
import { isTruthy, TEMPLATE_FUNCTIONS, type Datum } from './template-functions.js';
import { fault, parseTemplate, type Block, type Node, type Operand, type Pipeline } from './template-parser.js';

/**
 * Go's `text/template`: fields, variables, pipelines, `if`, `else if`, `range`, `with`, comments, trim markers and the
 * functions of `TEMPLATE_FUNCTIONS`. Templates inside templates are not supported.
 */
export function renderTemplate(template: string, variables: RegoObject, run: Run): string {
  run.meter.work(template.length);
  run.meter.allocate(template.length * 16);
  const renderer = new Renderer(run, variables);
  renderer.render(parseTemplate(template), variables);
  return renderer.output;
}

class Renderer {
  output = '';
  private readonly variables: [name: string, value: Datum][];

  constructor(
    private readonly run: Run,
    root: Value,
  ) {
    this.variables = [['$', root]];
  }

  /** Renders nodes. Variables that they declare are removed afterwards. */
  render(nodes: readonly Node[], dot: Datum): void {
    const known = this.variables.length;
    for (const node of nodes) {
      this.run.meter.step();
      if (typeof node === 'string') this.write(node);
      else if (node.kind !== 'action') this.block(node, dot);
      else {
        const value = this.evaluate(node.pipeline, dot);
        if (node.pipeline.variables.length === 0) this.write(text(value));
      }
    }
    this.variables.length = known;
  }

  private write(piece: string): void {
    this.run.meter.allocate(piece.length * 2);
    this.output += piece;
  }

  private block(block: Block, dot: Datum): void {
    const known = this.variables.length;
    if (block.kind === 'range') this.range(block, dot);
    else {
      const value = this.evaluate(block.pipeline, dot);
      if (!isTruthy(value)) this.render(block.otherwise, dot);
      else this.render(block.body, block.kind === 'with' ? value : dot);
    }
    this.variables.length = known;
  }

  private range({ pipeline, body, otherwise }: Block, dot: Datum): void {
    const { variables: names, declares } = pipeline;
    const entries = entriesOf(this.evaluate({ ...pipeline, variables: [] }, dot));
    if (entries.length === 0) {
      this.render(otherwise, dot);
      return;
    }
    for (const [key, item] of entries) {
      const known = this.variables.length;
      const [first, second] = names;
      if (first !== undefined) this.assign(first, second === undefined ? item : key, declares);
      if (second !== undefined) this.assign(second, item, declares);
      this.render(body, item);
      this.variables.length = known;
    }
  }

  private assign(name: string, value: Datum, declares: boolean): void {
    if (declares) {
      this.variables.push([name, value]);
      return;
    }
    const known = this.variables.findLast(([other]) => other === name);
    if (known === undefined) throw fault(`undefined variable ${JSON.stringify(name)}`);
    known[1] = value;
  }

  private evaluate({ commands, variables, declares }: Pipeline, dot: Datum): Datum {
    let value: Datum;
    for (const [at, command] of commands.entries()) value = this.command(command, dot, at === 0 ? [] : [value]);
    for (const name of variables) this.assign(name, value, declares);
    return value;
  }

  private command([first, ...rest]: readonly Operand[], dot: Datum, last: readonly Datum[]): Datum {
    this.run.meter.step();
    if (first === undefined) throw fault('missing value for command');
    if (first.from.kind !== 'function') return this.operand(first, dot);
    const { name } = first.from;
    const call = Object.hasOwn(TEMPLATE_FUNCTIONS, name) ? TEMPLATE_FUNCTIONS[name] : undefined;
    if (call === undefined) throw fault(`function ${JSON.stringify(name)} not defined`);
    return call([...rest.map((operand) => this.operand(operand, dot)), ...last], this.run, text);
  }

  private operand({ from, fields }: Operand, dot: Datum): Datum {
    return fields.reduce(fieldOf, this.source(from, dot));
  }

  private source(from: Operand['from'], dot: Datum): Datum {
    switch (from.kind) {
      case 'dot':
        return dot;
      case 'literal':
        return from.value;
      case 'pipeline':
        return this.evaluate(from.pipeline, dot);
      case 'function':
        return this.command([{ from, fields: [] }], dot, []);
      default: {
        const known = this.variables.findLast(([name]) => name === from.name);
        if (known === undefined) throw fault(`undefined variable ${JSON.stringify(from.name)}`);
        return known[1];
      }
    }
  }
}

function fieldOf(value: Datum, name: string): Datum {
  if (value === undefined || value === null) throw fault(`nil data; no entry for key ${JSON.stringify(name)}`);
  if (!(value instanceof RegoObject)) throw fault(`can't evaluate field ${name} of a value that is no object`);
  return lookup(value, name);
}

function entriesOf(value: Datum): readonly (readonly [Value, Value])[] {
  if (value === undefined || value === null) return [];
  if (value instanceof RegoObject) return value.entries();
  const items = value instanceof RegoSet ? value.items() : value;
  if (!isArray(items)) throw fault("range can't iterate over the value");
  return items.map((item, at) => [at, item]);
}

/** Returns a value as Go prints it. */
function text(value: Datum): string {
  if (value === undefined) return '<undefined>';
  return value === null ? '<no value>' : nestedText(value, 0);
}

const MOST_NESTING = 512;

function nestedText(value: Value, level: number): string {
  if (level > MOST_NESTING) throw fault('nested too deeply');
  if (value === null) return '<nil>';
  if (typeof value === 'string') return value;
  const inner = (item: Value): string => nestedText(item, level + 1);
  if (isArray(value)) return `[${value.map(inner).join(' ')}]`;
  if (value instanceof RegoSet) return `[${value.items().map(inner).join(' ')}]`;
  if (!(value instanceof RegoObject)) return valueText(value);
  return `map[${value
    .entries()
    .map(([key, item]) => `${inner(key)}:${inner(item)}`)
    .join(' ')}]`;
}
