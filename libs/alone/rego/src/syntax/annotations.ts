import { parseYaml } from '../values/yaml.js';
import { RegoObject } from '../values/value.js';
import { AnnotationFault, annotationFields } from './annotation-fields.js';
import type { Annotation, Comment, Location, Rule } from './ast.js';
import { SyntaxFault } from './fault.js';

interface Block {
  readonly value: RegoObject;
  readonly loc: Location;
}

/** The statements to which metadata can be attached. */
export interface Statements {
  readonly package: Location;
  readonly imports: readonly { readonly loc: Location }[];
  readonly rules: readonly Rule[];
}

const TARGETS: Readonly<Record<string, 'rule' | 'package'>> = {
  rule: 'rule',
  document: 'rule',
  package: 'package',
  subpackages: 'package',
};

/** Returns the `# METADATA` blocks of a module: consecutive comment rows whose text is YAML. */
export function readAnnotations(comments: readonly Comment[], file: string): readonly Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < comments.length; at++) {
    const head = comments[at];
    if (head === undefined || head.text.slice(1).trim() !== 'METADATA') continue;
    const lines: string[] = [];
    let row = head.row;
    while (comments[at + 1]?.row === row + 1 && comments[at + 1]?.col === 1) {
      row++;
      lines.push((comments[++at]?.text ?? '').slice(1));
    }
    const loc = { row: head.row, col: head.col, offset: 0, file };
    blocks.push({ value: readYaml(lines, loc), loc });
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
  try {
    return annotationFields(value as Record<string, unknown>);
  } catch (error) {
    if (!(error instanceof AnnotationFault)) throw error;
    throw new SyntaxFault(`METADATA: ${error.message}`, loc);
  }
}

/** Attaches each block to the statement that follows it. */
export function annotate(
  blocks: readonly Block[],
  statements: Statements,
): { package: readonly Annotation[]; rules: readonly Rule[] } {
  const { rules } = statements;
  if (blocks.length === 0) return { package: [], rules };
  const forPackage: Annotation[] = [];
  const forRule = new Map<Rule, Annotation[]>();
  for (const { value, loc } of blocks) {
    const target = targetOf(loc, statements);
    const isEntrypoint = value.get('entrypoint') === true;
    const scope = scopeOf(value, target, isEntrypoint, loc);
    if (isEntrypoint && scope !== 'document' && scope !== 'package')
      throw new SyntaxFault(`annotation entrypoint applied to non-document or package scope '${scope}'`, loc);
    const annotation = { value: new RegoObject([...value.entries(), ['scope', scope]]), scope, loc };
    if (typeof target !== 'object') forPackage.push(annotation);
    else forRule.set(target, [...(forRule.get(target) ?? []), annotation]);
  }
  return {
    package: forPackage,
    rules: rules.map((rule) => ({ ...rule, annotations: forRule.get(rule) ?? rule.annotations })),
  };
}

type Target = Rule | 'package' | 'import' | undefined;

function targetOf({ row }: Location, { package: packageLoc, imports, rules }: Statements): Target {
  if (packageLoc.row > row) return 'package';
  const rule = rules.find((candidate) => candidate.loc.row > row);
  const isImport = imports.some(({ loc }) => loc.row > row && (rule === undefined || loc.row < rule.loc.row));
  return isImport ? 'import' : rule;
}

function scopeOf(value: RegoObject, target: Target, isEntrypoint: boolean, loc: Location): string {
  const kind = typeof target === 'object' ? 'rule' : target;
  const declared = value.get('scope');
  const implied = kind === 'rule' && isEntrypoint ? 'document' : kind;
  if (declared === undefined && implied === undefined)
    throw new SyntaxFault('annotation block must be followed by a statement', loc);
  const scope = typeof declared === 'string' ? declared : String(implied);
  const wanted = Object.hasOwn(TARGETS, scope) ? TARGETS[scope] : undefined;
  if (wanted === undefined) throw new SyntaxFault(`invalid scope ${JSON.stringify(scope)}`, loc);
  if (wanted !== kind) {
    const have = kind === undefined ? '' : ` (have ${kind})`;
    throw new SyntaxFault(`annotation scope '${scope}' must be applied to ${wanted}${have}`, loc);
  }
  return scope;
}
