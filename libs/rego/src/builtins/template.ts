import type { Run } from '../evaluate/run.js';
import { valueText } from '../values/text.js';
import { isArray, lookup, RegoObject, RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';
import { BuiltinError } from './types.js';

/**
 * The part of Go's text templates that `strings.render_template` is used for: `{{.a.b}}`, `{{.}}`, `{{if}} {{else}}`,
 * `{{range}}`, `{{with}}`, `{{end}}`, comments and trim markers.
 */
export function renderTemplate(template: string, variables: RegoObject, run: Run): string {
  const nodes = parse(template);
  let output = '';
  const render = (list: readonly Node[], dot: Value | undefined): void => {
    for (const node of list) {
      run.meter.step();
      if (typeof node === 'string') output += node;
      else if (node.kind === 'value') output += text(resolve(node.path, dot, variables));
      else renderBlock(node, resolve(node.path, dot, variables), dot, render);
      if (output.length > 4096) run.meter.allocate(output.length / 64);
    }
  };
  render(nodes, variables);
  run.meter.allocate(output.length * 2);
  return output;
}

type Node = string | { readonly kind: 'value'; readonly path: string } | Block;
interface Block {
  readonly kind: 'if' | 'range' | 'with';
  readonly path: string;
  readonly body: Node[];
  readonly otherwise: Node[];
}

function renderBlock(
  block: Block,
  value: Value | undefined,
  dot: Value | undefined,
  render: (list: readonly Node[], dot: Value | undefined) => void,
): void {
  if (!isTruthy(value)) {
    render(block.otherwise, dot);
    return;
  }
  if (block.kind !== 'range') {
    render(block.body, block.kind === 'with' ? value : dot);
    return;
  }
  const items =
    value instanceof RegoObject
      ? value.keys().map((key) => value.get(key) as Value)
      : value instanceof RegoSet
        ? value.items()
        : isArray(value)
          ? value
          : [];
  for (const item of items) render(block.body, item);
}

function isTruthy(value: Value | undefined): value is Value {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return false;
  if (isArray(value)) return value.length > 0;
  return !((value instanceof RegoObject || value instanceof RegoSet) && value.size === 0);
}

function resolve(path: string, dot: Value | undefined, root: RegoObject): Value | undefined {
  let value: Value | undefined = path.startsWith('$') ? root : dot;
  for (const name of path
    .replace(/^\$/, '')
    .split('.')
    .filter((part) => part !== '')) {
    if (value === undefined) return undefined;
    value = lookup(value, name);
  }
  return value;
}

/** Collections print as Go prints them. */
function text(value: Value | undefined): string {
  if (value === undefined) return '<undefined>';
  if (typeof value === 'string') return value;
  if (isArray(value)) return `[${value.map(text).join(' ')}]`;
  if (value instanceof RegoObject)
    return `map[${value
      .entries()
      .map(([key, item]) => `${text(key)}:${text(item)}`)
      .join(' ')}]`;
  return valueText(value);
}

function parse(template: string): Node[] {
  const root: Node[] = [];
  const open: { block: Block | undefined; list: Node[] }[] = [{ block: undefined, list: root }];
  let trimNext = false;
  const addText = (raw: string, trimEnd: boolean): void => {
    let piece = trimNext ? raw.trimStart() : raw;
    if (trimEnd) piece = piece.trimEnd();
    if (piece !== '') open[open.length - 1]?.list.push(piece);
  };
  let at = 0;
  for (;;) {
    const start = template.indexOf('{{', at);
    if (start < 0) break;
    const end = template.indexOf('}}', start);
    if (end < 0) throw new BuiltinError('template: unclosed action');
    let action = template.slice(start + 2, end);
    addText(template.slice(at, start), /^-\s/.test(action));
    action = action.replace(/^-\s/, '');
    trimNext = /\s-$/.test(action);
    handle(action.replace(/\s-$/, '').trim(), open);
    at = end + 2;
  }
  addText(template.slice(at), false);
  if (open.length > 1) throw new BuiltinError('template: unexpected EOF');
  return root;
}

function handle(action: string, open: { block: Block | undefined; list: Node[] }[]): void {
  const current = open[open.length - 1];
  if (current === undefined || action.startsWith('/*')) return;
  const block = /^(if|range|with)\s+(\$?(?:\.[\w.]*)?)$/.exec(action);
  if (block !== null) {
    if (open.length > 100) throw new BuiltinError('template: nested too deeply');
    const node: Block = { kind: block[1] as Block['kind'], path: block[2] ?? '', body: [], otherwise: [] };
    current.list.push(node);
    open.push({ block: node, list: node.body });
  } else if (action === 'else' && current.block !== undefined) {
    current.list = current.block.otherwise;
  } else if (action === 'end' && current.block !== undefined) {
    open.pop();
  } else if (/^\$?(?:\.\w*)+$/.test(action)) {
    current.list.push({ kind: 'value', path: action });
  } else {
    throw new BuiltinError(`template: unexpected ${JSON.stringify(action)}`);
  }
}
