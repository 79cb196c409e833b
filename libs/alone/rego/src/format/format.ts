import type { ElseBranch, EveryExpr, Expr, Import, Module, Rule, Term } from '../syntax/ast.js';
import { parseModule } from '../syntax/parser.js';
import { Output } from './output.js';
import { TermWriter } from './terms.js';

/**
 * Returns the module in the standard layout and the current grammar. Throws `RegoCompileError` if it cannot be parsed.
 */
export function format(text: string, options: { readonly file?: string } = {}): string {
  return new ModuleWriter(parseModule(text, options)).write();
}

class ModuleWriter {
  private readonly out: Output;
  private readonly terms: TermWriter;

  constructor(private readonly module: Module) {
    this.out = new Output(module.comments);
    this.terms = new TermWriter(this.out, (expr) => this.statement(expr));
  }

  write(): string {
    const { out, module } = this;
    out.commentsBefore(module.packageLoc.row);
    out.write(`package ${dotted(module.package)}`);
    out.endLine(module.packageLoc.row);
    if (module.imports.length > 0) out.blank();
    for (const item of module.imports) this.import(item);
    let previous: { multiline: boolean; endRow: number } | undefined;
    for (const rule of module.rules) {
      const multiline = spansLines(rule);
      const gap = previous === undefined || previous.multiline || multiline || rule.loc.row > previous.endRow + 1;
      if (gap) out.blank();
      out.commentsBefore(rule.loc.row);
      this.rule(rule);
      previous = { multiline, endRow: rule.endRow };
    }
    return out.finish();
  }

  private import(item: Import): void {
    this.out.commentsBefore(item.loc.row);
    this.out.write(`import ${dotted(item.path)}${item.alias === undefined ? '' : ` as ${item.alias}`}`);
    this.out.endLine(item.loc.row);
  }

  private rule(rule: Rule): void {
    const { out, terms } = this;
    if (rule.isDefault) out.write('default ');
    out.write(rule.name.name);
    for (const part of rule.path) terms.refPart(part);
    if (rule.args !== undefined) {
      out.write('(');
      rule.args.forEach((arg, at) => {
        if (at > 0) out.write(', ');
        terms.term(arg);
      });
      out.write(')');
    }
    if (rule.member !== undefined) {
      out.write(' contains ');
      terms.term(rule.member);
    }
    const bare =
      rule.member === undefined && rule.body === undefined && rule.value === undefined && rule.elses.length === 0;
    if (rule.value !== undefined || bare) this.value(rule.value);
    this.body(rule, rule.loc.row);
    for (const branch of rule.elses) this.else(branch);
    out.commentsBefore(0);
    out.endLine(rule.endRow);
  }

  private value(value: Term | undefined): void {
    this.out.write(' := ');
    if (value === undefined) this.out.write('true');
    else this.terms.term(value);
  }

  private body({ body, closeRow }: Pick<Rule, 'body' | 'closeRow'>, row: number): void {
    const { out } = this;
    if (body === undefined) return;
    const [single] = body;
    if (closeRow === undefined && single !== undefined && !startsWithBrace(single)) {
      out.write(' if ');
      this.statement(single);
      return;
    }
    out.write(' if {');
    this.block(body, row, closeRow);
  }

  /** Writes each statement on its own line, and the closing brace. */
  private block(body: readonly Expr[], row: number, closeRow = 0): void {
    const { out } = this;
    const first = body[0]?.loc.row ?? row;
    if (first > row) out.endLine(row);
    else out.newline();
    out.indented(() => {
      body.forEach((expr, at) => {
        out.commentsBefore(expr.loc.row);
        if (at > 0) out.keepBlank(expr.loc.row);
        this.statement(expr);
        const next = body[at + 1]?.loc.row;
        out.endLine(next === undefined || next > expr.loc.row ? Math.max(expr.loc.row, lastRow(expr)) : 0);
        out.passed(lastRow(expr));
      });
      out.commentsBefore(closeRow);
    });
    out.write('}');
  }

  private else(branch: ElseBranch): void {
    const { out } = this;
    out.write(' else');
    if (branch.value !== undefined) this.value(branch.value);
    this.body(branch, branch.loc.row);
  }

  private statement(expr: Expr): void {
    const { out, terms } = this;
    switch (expr.kind) {
      case 'some':
        out.write(`some ${expr.vars.map((variable) => variable.name).join(', ')}`);
        break;
      case 'somein':
        out.write('some ');
        if (expr.key !== undefined) {
          terms.term(expr.key);
          out.write(', ');
        }
        terms.term(expr.value);
        out.write(' in ');
        terms.term(expr.domain);
        break;
      case 'every':
        this.every(expr);
        break;
      default:
        if (expr.negated) out.write('not ');
        terms.statementTerm(expr.term);
    }
    this.modifiers(expr);
  }

  private every(expr: EveryExpr): void {
    const { out, terms } = this;
    out.write('every ');
    if (expr.key !== undefined) {
      terms.term(expr.key);
      out.write(', ');
    }
    terms.term(expr.value);
    out.write(' in ');
    terms.term(expr.domain);
    out.write(' {');
    this.block(expr.body, expr.loc.row, expr.closeRow);
  }

  private modifiers(expr: Expr): void {
    const { out, terms } = this;
    for (const modifier of expr.with) {
      out.write(' with ');
      terms.term(modifier.target);
      out.write(' as ');
      terms.term(modifier.value);
    }
  }
}

function spansLines(rule: Rule): boolean {
  const braced = ({ body, closeRow }: Pick<Rule, 'body' | 'closeRow'>): boolean =>
    body !== undefined && (closeRow !== undefined || (body[0] !== undefined && startsWithBrace(body[0])));
  const branches = rule.elses.some(braced);
  const every = [rule.body, ...rule.elses.map((branch) => branch.body)].some((body) =>
    body?.some((expr) => expr.kind === 'every'),
  );
  return rule.endRow > rule.loc.row || branches || every || braced(rule);
}

function dotted(path: readonly string[]): string {
  return path
    .map((name, at) => (/^[A-Za-z_]\w*$/.test(name) ? (at === 0 ? name : `.${name}`) : `[${JSON.stringify(name)}]`))
    .join('');
}

/** Returns whether a statement begins with a brace. As the only statement of a body, it would be parsed as a block. */
function startsWithBrace(expr: Expr): boolean {
  if (expr.kind !== 'term' || expr.negated) return false;
  let term: Term | undefined = expr.term;
  for (;;) {
    if (term === undefined) return false;
    if (term.kind === 'ref') term = term.head;
    else if (term.kind === 'call' && term.ref === undefined) term = term.args[0];
    else
      return (
        term.kind === 'object' ||
        term.kind === 'setcomp' ||
        term.kind === 'objectcomp' ||
        (term.kind === 'set' && term.items.length > 0)
      );
  }
}

/** Returns the last row on which a part of a statement begins, which is sufficient to place comments. */
function lastRow(expr: Expr): number {
  let row = expr.loc.row;
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    if ('row' in value && typeof value.row === 'number') row = Math.max(row, value.row);
    for (const child of Object.values(value)) visit(child);
  };
  if (expr.kind === 'every') return expr.closeRow;
  visit(expr);
  return row;
}
