import { fromPlain } from '../values/convert.js';
import { parseYaml } from '../values/yaml.js';
import { RegoObject } from '../values/value.js';
import type { Annotation, Comment, Location, Rule } from './ast.js';
import { SyntaxFault } from './fault.js';

const SCOPES: ReadonlySet<string> = new Set(['package', 'subpackages', 'document', 'rule']);

interface Block {
  readonly value: RegoObject;
  readonly loc: Location;
  readonly endRow: number;
}

/** The `# METADATA` blocks of a module: consecutive comment rows whose text is YAML. */
export function readAnnotations(comments: readonly Comment[], file: string): readonly Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < comments.length; at++) {
    const head = comments[at];
    if (head === undefined || head.text.slice(1).trim() !== 'METADATA') continue;
    const lines: string[] = [];
    let row = head.row;
    while (comments[at + 1]?.row === row + 1) {
      row++;
      lines.push((comments[++at]?.text ?? '').slice(1));
    }
    const loc = { row: head.row, col: head.col, offset: 0, file };
    blocks.push({ value: readYaml(lines, loc), loc, endRow: row });
  }
  return blocks;
}

function readYaml(lines: readonly string[], loc: Location): RegoObject {
  let value: unknown;
  try {
    value = parseYaml(lines.join('\n'));
  } catch {
    throw new SyntaxFault('METADATA is not valid YAML', loc);
  }
  if (value === null || value === undefined) throw new SyntaxFault('expected METADATA block, found whitespace', loc);
  if (typeof value !== 'object' || Array.isArray(value)) throw new SyntaxFault('METADATA must be a mapping', loc);
  return normalise(value as Record<string, unknown>);
}

/** Authors and organisations may be written as text. */
function normalise(block: Record<string, unknown>): RegoObject {
  const result: Record<string, unknown> = { ...block };
  if (Array.isArray(block['authors'])) result['authors'] = block['authors'].map(author);
  if (Array.isArray(block['related_resources'])) {
    result['related_resources'] = block['related_resources'].map((item: unknown) =>
      typeof item === 'string' ? { ref: item } : item,
    );
  }
  return fromPlain(result) as RegoObject;
}

function author(item: unknown): unknown {
  if (typeof item !== 'string') return item;
  const text = item.trim();
  const open = text.lastIndexOf('<');
  if (open === -1 || !text.endsWith('>') || open === text.length - 2) return { name: text };
  const name = text.slice(0, open).trimEnd();
  const email = text.slice(open + 1, -1);
  return name === '' ? { email } : { name, email };
}

/** Attaches each block to the statement that follows it. */
export function annotate(
  blocks: readonly Block[],
  packageLoc: Location,
  rules: readonly Rule[],
): { package: readonly Annotation[]; rules: readonly Rule[] } {
  if (blocks.length === 0) return { package: [], rules };
  const forPackage: Annotation[] = [];
  const forRule = new Map<Rule, Annotation[]>();
  for (const block of blocks) {
    const rule = rules.find((candidate) => candidate.loc.row > block.endRow);
    const isPackage = packageLoc.row > block.endRow;
    const declared = block.value.get('scope');
    const scope = typeof declared === 'string' ? declared : isPackage ? 'package' : 'rule';
    const value = new RegoObject([...block.value.entries(), ['scope', scope]]);
    if (!SCOPES.has(scope)) throw new SyntaxFault(`invalid scope ${JSON.stringify(scope)}`, block.loc);
    const annotation = { value, scope, loc: block.loc };
    if (isPackage) forPackage.push(annotation);
    else if (rule !== undefined) forRule.set(rule, [...(forRule.get(rule) ?? []), annotation]);
    else throw new SyntaxFault('annotation block must be followed by a statement', block.loc);
  }
  return {
    package: forPackage,
    rules: rules.map((rule) => ({ ...rule, annotations: forRule.get(rule) ?? rule.annotations })),
  };
}
