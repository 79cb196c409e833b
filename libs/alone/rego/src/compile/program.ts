import { builtinTable } from '../builtins/index.js';
import type { Builtin } from '../builtins/types.js';
import { RegoCompileError } from '../errors.js';
import type { FaultCode } from '../errors.js';
import { RuleTree } from '../evaluate/context.js';
import type { FunctionNode, RuleNode } from '../evaluate/context.js';
import type { CallTerm, Location, Module } from '../syntax/ast.js';
import { SyntaxFault } from '../syntax/fault.js';
import { isKeyword } from '../syntax/stream.js';
import type { Value } from '../values/value.js';
import { functionPath } from './calls.js';
import { codeGenerator } from './generator.js';
import type { CompileOptions } from './options.js';
import { buildIndexes } from './indexing.js';
import { MetadataLinks } from './metadata-links.js';
import { checkRecursion } from './recursion.js';
import { compileRule, resolveRule } from './rules.js';
import type { ResolvedRule } from './rules.js';
import type { Globals } from './resolve.js';
import { refusalOf, replacedBuiltins } from './refused.js';
import { SafetyChecker } from './safety.js';
import type { Environment } from './unit.js';

export interface CompiledProgram {
  readonly tree: RuleTree;
  readonly env: Environment;
  readonly isBuiltin: (name: string) => boolean;
  readonly rules: readonly { readonly resolved: ResolvedRule; readonly node: RuleNode }[];
}

/** Compiles parsed modules. Throws `RegoCompileError` with every fault. */
export function compileModules(modules: readonly Module[], options: CompileOptions): CompiledProgram {
  const faults: SyntaxFault[] = [];
  try {
    const program = new ProgramCompiler(modules, options, faults).run();
    if (faults.length === 0) return program;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    faults.push(new SyntaxFault('nested too deeply', NOWHERE, 'rego_compile_error'));
  }
  throw new RegoCompileError(faults.map((fault) => fault.toFault()));
}

const NOWHERE: Location = { row: 1, col: 1, offset: 0, file: '' };

class ProgramCompiler {
  private readonly tree = new RuleTree();
  private readonly builtins: ReadonlyMap<string, Builtin>;

  constructor(
    private readonly modules: readonly Module[],
    private readonly options: CompileOptions,
    private readonly faults: SyntaxFault[],
  ) {
    this.builtins = builtinTable(options.builtins);
  }

  run(): CompiledProgram {
    const isBuiltin = (name: string): boolean => this.builtins.has(name);
    const names = this.ruleNames();
    const rules = this.modules.flatMap((module) => {
      const globals = this.globals(module, names);
      return module.rules.map((rule) => resolveRule(rule, module, globals, this.faults, isBuiltin));
    });
    for (const module of this.modules) this.tree.at(module.package);
    const placed = rules.map((resolved) => ({ resolved, node: this.place(resolved) }));
    this.checkConflicts(placed);
    this.checkPackages();
    checkRecursion(placed, this.tree, this.faults);
    const env = this.environment();
    if (this.faults.length === 0) {
      const metadata = new MetadataLinks(this.modules, rules, this.faults);
      for (const { resolved, node } of placed) compileRule(resolved, node, env, metadata.chain(resolved));
      buildIndexes(placed);
    }
    return { tree: this.tree, env, isBuiltin, rules: placed };
  }

  private fault(message: string, loc: Location, code: FaultCode): void {
    this.faults.push(new SyntaxFault(message, loc, code));
  }

  private ruleNames(): ReadonlyMap<string, ReadonlySet<string>> {
    const names = new Map<string, Set<string>>();
    for (const module of this.modules) {
      const key = module.package.join('\0');
      const known = names.get(key) ?? new Set();
      for (const rule of module.rules) known.add(rule.name.name);
      names.set(key, known);
    }
    return names;
  }

  private globals(module: Module, names: ReadonlyMap<string, ReadonlySet<string>>): Globals {
    const globals = new Map<string, readonly string[]>();
    for (const name of names.get(module.package.join('\0')) ?? []) globals.set(name, ['data', ...module.package, name]);
    for (const { path, alias, loc } of module.imports) {
      const [root] = path;
      if (root === 'rego' || root === 'future') {
        this.checkFeature(path, loc);
        if (alias !== undefined && (path.join('.') === 'rego.v1' || path[0] === 'future'))
          this.fault(`import ${path.join('.')} cannot be aliased`, loc, 'rego_parse_error');
        continue;
      }
      const name = alias ?? path[path.length - 1];
      if (name === undefined) continue;
      if (
        module.imports.some(
          (other) =>
            other.loc !== loc &&
            (other.alias ?? other.path[other.path.length - 1]) === name &&
            other.loc.offset < loc.offset,
        )
      ) {
        this.fault(`import must not shadow import ${name}`, loc, 'rego_compile_error');
      }
      globals.set(name, path);
    }
    return globals;
  }

  private checkFeature(path: readonly string[], loc: Location): void {
    const name = path.join('.');
    const keyword = path[2];
    const known =
      name === 'rego.v1' ||
      name === 'future.keywords' ||
      (path[1] === 'keywords' && path.length === 3 && keyword !== undefined && isKeyword(keyword));
    if (!known) this.fault(`invalid import ${name}, must be rego.v1 or future.keywords`, loc, 'rego_parse_error');
  }

  /** Returns the node of a rule, and stores in it which kind of document the rule defines. */
  private place(resolved: ResolvedRule): RuleNode {
    const { rule, prefix, args } = resolved;
    const node = this.tree.at(prefix);
    const branch = resolved.branches[0];
    if (args !== undefined) {
      node.function ??= { node, arity: args.length, rules: [], fallback: undefined };
      if (node.function.arity !== args.length) {
        this.fault(`conflicting rules data.${prefix.join('.')} found: arity differs`, rule.loc, 'rego_type_error');
      }
      this.setKind(node, 'function', resolved);
    } else if (branch !== undefined && branch.rest.length === 0) {
      this.setKind(node, branch.member === undefined ? 'complete' : 'set', resolved);
    } else if (branch !== undefined) {
      const kind = branch.member === undefined ? 'complete' : 'set';
      if (node.dynamicKind !== undefined && node.dynamicKind !== kind) this.conflicting(resolved);
      node.dynamicKind = kind;
    }
    return node;
  }

  private setKind(node: RuleNode, kind: RuleNode['kind'], resolved: ResolvedRule): void {
    if (node.kind !== 'package' && node.kind !== kind) this.conflicting(resolved);
    node.kind = kind;
  }

  private conflicting({ rule, prefix }: ResolvedRule): void {
    this.fault(`conflicting rules data.${prefix.join('.')} found`, rule.loc, 'rego_type_error');
  }

  private checkConflicts(placed: CompiledProgram['rules']): void {
    const defaults = new Set<RuleNode>();
    const seen = new Set<RuleNode>();
    for (const { resolved, node } of placed) {
      const name = `data.${resolved.prefix.join('.')}`;
      if (resolved.rule.isDefault) {
        if (defaults.has(node))
          this.fault(`multiple default rules ${name} found`, resolved.rule.loc, 'rego_type_error');
        defaults.add(node);
      }
      if (seen.has(node) || node.kind === 'package') continue;
      seen.add(node);
      if (node.dynamicKind !== undefined) this.conflicting(resolved);
      if (node.children.size > 0) {
        const others = [...node.children.values()].map((child) => `data.${child.path.join('.')}`).join(' ');
        this.fault(`rule ${name} conflicts with [${others}]`, resolved.rule.loc, 'rego_type_error');
      }
    }
  }

  private checkPackages(): void {
    for (const { package: path, packageLoc } of this.modules) {
      const name = path.join('.');
      if (this.tree.at(path).kind !== 'package')
        this.fault(`package ${name} conflicts with rule data.${name}`, packageLoc, 'rego_type_error');
    }
  }

  private environment(): Environment {
    const replaced = replacedBuiltins(this.modules);
    const functionAt = (path: readonly Value[]): FunctionNode | undefined => this.tree.find(path)?.function;
    const arityOf = (term: CallTerm): number | undefined => {
      if (term.ref?.kind === 'ref') return functionAt(functionPath(term.ref) ?? [])?.arity;
      return term.name === 'eq' || term.name === 'print' ? undefined : this.builtins.get(term.name)?.arity;
    };
    return {
      tree: this.tree,
      faults: this.faults,
      safety: new SafetyChecker(arityOf, this.faults),
      builtin: (name) => this.builtins.get(name),
      refusal: (name) => refusalOf(name, this.options, replaced),
      functionAt,
      generate: codeGenerator,
    };
  }
}
