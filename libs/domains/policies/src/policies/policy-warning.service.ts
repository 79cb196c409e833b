import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { PolicyChecker } from '../verdicts/policy-checker.js';
import { PolicyRepository, type PolicyText } from './policy.repository.js';
import { DECISION_LIMITS } from './policy.types.js';

/** The warnings of one policy; never empty. */
export interface WarnedPolicy {
  readonly id: string;
  readonly name: string;
  readonly warnings: readonly string[];
}

/** Maximum number of versions whose warnings are cached. */
const MAX_CACHED = 1000;

/** Finds policies that compile but do not decide as their authors probably expect. */
@Injectable()
export class PolicyWarningService {
  private readonly cache = new LRUCache<string, readonly string[]>({ max: MAX_CACHED });

  constructor(
    private readonly policies: PolicyRepository,
    private readonly checker: PolicyChecker,
  ) {}

  /** Returns those of the policies that have warnings. Unknown ids and policies without text are left out. */
  async warned(scope: Scope, ids: readonly string[]): Promise<readonly WarnedPolicy[]> {
    if (ids.length === 0) return [];
    const warned: WarnedPolicy[] = [];
    // One after the other, because waiting compilations of one organization delay its decisions.
    for (const text of await this.policies.findTexts(scope, ids, DECISION_LIMITS.bytes)) {
      const warnings = await this.warningsOf(scope, text);
      if (warnings.length > 0) warned.push({ id: text.id, name: text.name, warnings });
    }
    return warned;
  }

  private async warningsOf(
    scope: Scope,
    { id, name, version, policy_content }: PolicyText,
  ): Promise<readonly string[]> {
    if (policy_content === null || policy_content === '') return [];
    const key = `${id}:${version}`;
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    const policy = { policy_id: id, policy_name: name, version, policy_content, isDraft: false };
    const { warnings } = await this.checker.compile(scope, policy);
    this.cache.set(key, warnings);
    return warnings;
  }
}
