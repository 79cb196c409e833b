import { RegoCompileError } from '../errors.js';
import type { Run } from '../evaluate/run.js';
import type { CallTerm, Expr, Module, RefTerm, Rule, Term, With } from '../syntax/ast.js';
import { parseModule } from '../syntax/parser.js';
import { isNumeric, RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';
import { stringOperand } from './operands.js';
import { allocateText } from './strings.js';
import { BuiltinError } from './types.js';
import type { BuiltinTable } from './types.js';

/** Maximum length of a text, because parsing cannot be interrupted. */
const LONGEST_TEXT = 65_536;
/** Approximate maximum size of the tree, in bytes per character of text. */
const BYTES_PER_CHARACTER = 100;

type Member = readonly [Value, Value];

function object(...members: readonly (Member | undefined)[]): RegoObject {
  return new RegoObject(members.filter((member) => member !== undefined));
}

function typed(type: string, value: Value): RegoObject {
  return object(['type', type], ['value', value]);
}

const TRUE_BODY: Value = [object(['index', 0], ['terms', typed('boolean', true)])];

function constantType(value: Value): string {
  if (value === null) return 'null';
  if (isNumeric(value)) return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'string';
}

/** Returns a dotted name as a reference: a variable, then texts. */
function nameReference(names: readonly string[]): Value {
  return names.map((name, at) => typed(at === 0 ? 'var' : 'string', name));
}

function refParts(term: RefTerm): Value {
  return [termValue(term.head), ...term.path.map(termValue)];
}

function callParts(term: CallTerm): Value[] {
  const written = term.ref?.kind === 'ref' ? refParts(term.ref) : nameReference(term.name.split('.'));
  return [typed('ref', written), ...term.args.map(termValue)];
}

/** Returns a term with its type and value, as in the syntax trees of the Open Policy Agent. */
function termValue(term: Term): Value {
  switch (term.kind) {
    case 'value':
      return typed(constantType(term.value), term.value);
    case 'var':
      return term.name === 'input' || term.name === 'data'
        ? typed('ref', nameReference([term.name]))
        : typed('var', term.name);
    case 'ref':
      return typed('ref', [headOf(term), ...term.path.map(termValue)]);
    case 'array':
    case 'set':
      return typed(term.kind, term.items.map(termValue));
    case 'object':
      return typed(
        'object',
        term.entries.map(([key, value]) => [termValue(key), termValue(value)]),
      );
    case 'call':
      return typed('call', callParts(term));
    default:
      return compoundValue(term);
  }
}

function headOf({ head }: RefTerm): Value {
  return head.kind === 'var' ? typed('var', head.name) : termValue(head);
}

function compoundValue(term: Extract<Term, { kind: 'arraycomp' | 'setcomp' | 'objectcomp' | 'template' }>): Value {
  switch (term.kind) {
    case 'arraycomp':
      return typed('arraycomprehension', object(['term', termValue(term.term)], ['body', bodyValue(term.body)]));
    case 'setcomp':
      return typed('setcomprehension', object(['term', termValue(term.term)], ['body', bodyValue(term.body)]));
    case 'objectcomp': {
      const parts = object(
        ['key', termValue(term.key)],
        ['value', termValue(term.value)],
        ['body', bodyValue(term.body)],
      );
      return typed('objectcomprehension', parts);
    }
    default: {
      const parts = term.parts.map((part) => (typeof part === 'string' ? typed('string', part) : exprValue(part, 0)));
      return typed('templatestring', object(['parts', parts], ['multi_line', term.source.startsWith('$`')]));
    }
  }
}

function bodyValue(body: readonly Expr[]): Value {
  return body.map(exprValue);
}

function exprValue(expr: Expr, index: number): Value {
  return object(
    ['index', index],
    ['terms', exprTerms(expr)],
    expr.kind === 'term' && expr.negated ? ['negated', true] : undefined,
    expr.with.length === 0 ? undefined : ['with', expr.with.map(withValue)],
  );
}

function exprTerms(expr: Expr): Value {
  switch (expr.kind) {
    case 'term':
      return expr.term.kind === 'call' ? callParts(expr.term) : termValue(expr.term);
    case 'some':
      return object(['symbols', expr.vars.map(termValue)]);
    case 'somein': {
      const parts = expr.key === undefined ? [expr.value] : [expr.key, expr.value];
      const name = expr.key === undefined ? 'member_2' : 'member_3';
      const operator = typed('ref', nameReference(['internal', name]));
      return object(['symbols', [typed('call', [operator, ...[...parts, expr.domain].map(termValue)])]]);
    }
    default:
      return object(
        ['key', expr.key === undefined ? null : termValue(expr.key)],
        ['value', termValue(expr.value)],
        ['domain', termValue(expr.domain)],
        ['body', bodyValue(expr.body)],
      );
  }
}

function withValue({ target, value }: With): Value {
  return object(['target', termValue(target)], ['value', termValue(value)]);
}

function headValue(rule: Rule, value: Term | undefined): Value {
  const reference = [typed('var', rule.name.name), ...rule.path.map(termValue)];
  const answer = rule.member !== undefined ? undefined : (value ?? true);
  return object(
    rule.path.length === 0 ? ['name', rule.name.name] : undefined,
    ['ref', reference],
    rule.args === undefined || rule.args.length === 0 ? undefined : ['args', rule.args.map(termValue)],
    rule.member === undefined ? undefined : ['key', termValue(rule.member)],
    answer === undefined ? undefined : ['value', answer === true ? typed('boolean', true) : termValue(answer)],
    value === undefined ? undefined : ['assign', true],
  );
}

function ruleValue(rule: Rule): Value {
  const otherwise = rule.elses.reduceRight<Value | undefined>(
    (rest, { value, body }) =>
      object(
        ['head', headValue(rule, value)],
        ['body', body === undefined ? TRUE_BODY : bodyValue(body)],
        rest === undefined ? undefined : ['else', rest],
      ),
    undefined,
  );
  return object(
    rule.isDefault ? ['default', true] : undefined,
    ['head', headValue(rule, rule.value)],
    ['body', rule.body === undefined ? TRUE_BODY : bodyValue(rule.body)],
    otherwise === undefined ? undefined : ['else', otherwise],
  );
}

function moduleValue(module: Module): Value {
  const imports = module.imports.map(({ path, alias }) =>
    object(['path', typed('ref', nameReference(path))], alias === undefined ? undefined : ['alias', alias]),
  );
  const comments = module.comments.map(({ text, row, col }) =>
    object(
      ['Text', Buffer.from(text.slice(1)).toString('base64')],
      ['Location', object(['file', module.file], ['row', row], ['col', col])],
    ),
  );
  return object(
    ['package', object(['path', nameReference(['data', ...module.package])])],
    imports.length === 0 ? undefined : ['imports', imports],
    module.rules.length === 0 ? undefined : ['rules', module.rules.map(ruleValue)],
    comments.length === 0 ? undefined : ['comments', comments],
  );
}

function parse(args: readonly Value[], run: Run): Value {
  const file = stringOperand(args, 1);
  const text = stringOperand(args, 2);
  if (text.length > LONGEST_TEXT)
    throw new BuiltinError(`a module of more than ${LONGEST_TEXT} characters is not parsed`);
  allocateText(run, text.length * BYTES_PER_CHARACTER);
  try {
    return moduleValue(parseModule(text, { file }));
  } catch (error) {
    if (error instanceof RegoCompileError) throw new BuiltinError(error.message);
    throw error;
  }
}

/** The builtin that returns the syntax tree of a module, in the JSON form of the Open Policy Agent. */
export const moduleBuiltins: BuiltinTable = {
  'rego.parse_module': { arity: 2, call: parse },
};
