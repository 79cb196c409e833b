import { RegoCompileError } from '../errors.js';
import { annotate, readAnnotations } from './annotations.js';
import type { Expr, Import, Module, Rule } from './ast.js';
import { BodyParser } from './bodies.js';
import { SyntaxFault } from './fault.js';
import { Lexer } from './lexer.js';
import type { Lexed, Token } from './lexer.js';
import { RuleParser } from './rules.js';
import type { ParsedPackage } from './rules.js';

interface Contents {
  readonly parsedPackage: ParsedPackage;
  readonly imports: readonly Import[];
  readonly rules: readonly Rule[];
}

class ModuleParser extends RuleParser {
  contents(): Contents {
    const parsedPackage = this.packageStatement();
    const imports: Import[] = [];
    const rules: Rule[] = [];
    while (this.token.kind !== 'end') {
      if (this.acceptOp(';')) continue;
      if (this.isWord('import')) imports.push(this.importStatement());
      else if (this.isWord('package')) this.fail('a module has one package only');
      else rules.push(...this.rules());
    }
    return { parsedPackage, imports, rules };
  }
}

/**
 * Parses a module. A module that uses neither `if` nor `contains`, and does not import `rego.v1`, is parsed with the
 * older grammar where the newer one does not match. Throws `RegoCompileError`.
 */
export function parseModule(text: string, options: { readonly file?: string } = {}): Module {
  const file = options.file ?? '';
  return withFaults(file, () => {
    const lexed = new Lexer(text, file).run();
    if (lexed.tokens.length === 1) throw new SyntaxFault('empty module', { row: 1, col: 1, offset: 0, file });
    try {
      return build(lexed, new ModuleParser(lexed.tokens, text, file, false).contents(), file, false);
    } catch (fault) {
      if (!(fault instanceof SyntaxFault) || usesNewKeywords(lexed.tokens)) throw fault;
      return parseLegacy(lexed, text, file, fault);
    }
  });
}

function parseLegacy(lexed: Lexed, text: string, file: string, newer: SyntaxFault): Module {
  try {
    return build(lexed, new ModuleParser(lexed.tokens, text, file, true).contents(), file, true);
  } catch (fault) {
    if (!(fault instanceof SyntaxFault)) throw fault;
    throw fault.loc.offset > newer.loc.offset ? fault : newer;
  }
}

function build(lexed: Lexed, contents: Contents, file: string, legacy: boolean): Module {
  const blocks = readAnnotations(lexed.comments, file);
  const { imports, rules } = contents;
  const annotated = annotate(blocks, { package: contents.parsedPackage.loc, imports, rules });
  return {
    file,
    package: contents.parsedPackage.path,
    packageLoc: contents.parsedPackage.loc,
    imports: contents.imports,
    rules: annotated.rules,
    comments: lexed.comments,
    annotations: annotated.package,
    legacy,
  };
}

function usesNewKeywords(tokens: readonly Token[]): boolean {
  return tokens.some((token, at) => {
    if (token.kind !== 'name') return false;
    const before = tokens[at - 1];
    const after = tokens[at + 1];
    if (before?.kind === 'op' && before.text === '.') return token.text === 'v1' && tokens[at - 2]?.text === 'rego';
    if (token.text !== 'if' && token.text !== 'contains') return false;
    return !(after?.kind === 'op' && (after.text === '(' || after.text === '.') && after.offset === token.end);
  });
}

/** Parses a query such as `data.app.allow = x`. Throws `RegoCompileError`. */
export function parseQuery(text: string, file = ''): readonly Expr[] {
  return withFaults(file, () => new BodyParser(new Lexer(text, file).run().tokens, text, file).query());
}

function withFaults<T>(file: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SyntaxFault) throw new RegoCompileError([error.toFault()]);
    if (error instanceof RangeError) {
      throw new RegoCompileError([{ code: 'rego_parse_error', message: 'nested too deeply', row: 1, col: 1, file }]);
    }
    throw error;
  }
}
