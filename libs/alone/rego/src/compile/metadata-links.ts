import type { Annotation, Module } from '../syntax/ast.js';
import { SyntaxFault } from '../syntax/fault.js';
import type { Value } from '../values/value.js';
import type { ResolvedRule } from './rules.js';
import type { RuleMetadata } from './unit.js';

/** Annotations of one scope, at most one per path. */
class Places {
  private readonly annotations = new Map<string, Annotation>();

  constructor(private readonly faults: SyntaxFault[]) {}

  add(path: readonly Value[], annotations: readonly Annotation[]): void {
    for (const annotation of annotations) {
      const key = path.join('\0');
      const known = this.annotations.get(key);
      if (known === undefined) this.annotations.set(key, annotation);
      else {
        const { file, row, col } = known.loc;
        const message = `${annotation.scope} annotation redeclared: ${file}:${row}:${col}`;
        this.faults.push(new SyntaxFault(message, annotation.loc, 'rego_type_error'));
      }
    }
  }

  at(path: readonly Value[]): readonly Annotation[] {
    const annotation = this.annotations.get(path.join('\0'));
    return annotation === undefined ? [] : [annotation];
  }
}

/** The annotations that apply to a rule: those of the rule, its document, its package and the packages above. */
export class MetadataLinks {
  private readonly documents: Places;
  private readonly packages: Places;
  private readonly subpackages: Places;

  constructor(modules: readonly Module[], rules: readonly ResolvedRule[], faults: SyntaxFault[]) {
    this.documents = new Places(faults);
    this.packages = new Places(faults);
    this.subpackages = new Places(faults);
    for (const module of modules) {
      this.packages.add(module.package, ofScope(module.annotations, 'package'));
      this.subpackages.add(module.package, ofScope(module.annotations, 'subpackages'));
    }
    for (const { rule, prefix } of rules) this.documents.add(prefix, ofScope(rule.annotations, 'document'));
  }

  /** Returns the annotations from the rule outwards. If a rule has several blocks, the one next to it comes first. */
  chain({ rule, prefix, module }: ResolvedRule): readonly RuleMetadata[] {
    const own = module.package;
    const links: RuleMetadata[] = [
      { path: prefix, annotations: ofScope(rule.annotations, 'rule').reverse() },
      { path: prefix, annotations: this.documents.at(prefix) },
      { path: own, annotations: this.packages.at(own) },
    ];
    for (let depth = own.length; depth > 0; depth--) {
      const path = own.slice(0, depth);
      links.push({ path, annotations: this.subpackages.at(path) });
    }
    return links;
  }
}

function ofScope(annotations: readonly Annotation[], scope: string): Annotation[] {
  return annotations.filter((annotation) => annotation.scope === scope);
}
