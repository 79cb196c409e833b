import { Database } from '@app/database';
import type { Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { PolicyDecision, PolicyDecisionFilter, PolicyDecisionSummary } from './policy-decision.types.js';

const SUMMARY = [
  ...(['id', 'organization_id', 'kind', 'action', 'entity_type', 'entity_id', 'allowed', 'violations'] as const),
  ...(['policies', 'input_digest', 'input_bytes', 'execution_id', 'user_id', 'user_email', 'key_id', 'at'] as const),
] as const satisfies (keyof PolicyDecisionSummary)[];

const WRITTEN = [...SUMMARY, 'input'] as const;

/** `policy_ids` says again which policies decided, for the index. */
const INSERT_SQL = `
  INSERT INTO policy_decisions (${WRITTEN.join(', ')}, policy_ids)
  VALUES (${WRITTEN.map((_column, index) => `$${index + 1}`).join(', ')}, $${WRITTEN.length + 1})`;

/** A filter that is not there is no condition, so that each question finds its index. */
const CONDITIONS: Readonly<Record<keyof PolicyDecisionFilter, (parameter: string) => string>> = {
  kind: (parameter) => `kind = ${parameter}`,
  entity_type: (parameter) => `entity_type = ${parameter}`,
  entity_id: (parameter) => `entity_id = ${parameter}`,
  policy_id: (parameter) => `policy_ids @> ARRAY[${parameter}::text]`,
  allowed: (parameter) => `allowed = ${parameter}`,
  execution_id: (parameter) => `execution_id = ${parameter}`,
  from: (parameter) => `at >= ${parameter}`,
  to: (parameter) => `at < ${parameter}`,
};
const FILTERS = Object.keys(CONDITIONS) as (keyof PolicyDecisionFilter)[];

/**
 * The log of decisions: rows are written once and never changed. The table is partitioned by time, which TypeORM does
 * not know, so it has no entity.
 */
@Injectable()
export class PolicyDecisionRepository {
  constructor(private readonly database: Database) {}

  async insert(decision: PolicyDecision): Promise<void> {
    const policyIds = decision.policies.map(({ policy_id }) => policy_id);
    await this.database.prepared('policy_decisions.insert', INSERT_SQL, [
      ...WRITTEN.map((column) => written(column, decision)),
      policyIds,
    ]);
  }

  async find(scope: Scope, id: string): Promise<PolicyDecision | undefined> {
    const [decision] = await this.database.sql<PolicyDecision>(
      `SELECT ${WRITTEN.join(', ')} FROM policy_decisions WHERE organization_id = $1 AND id = $2`,
      [scope.organizationId, id],
    );
    return decision;
  }

  /** Newest first. */
  async list(scope: Scope, filter: PolicyDecisionFilter, page: Page): Promise<Listed<PolicyDecisionSummary>> {
    const values: unknown[] = [scope.organizationId];
    const conditions = FILTERS.filter((name) => filter[name] !== undefined).map((name) =>
      CONDITIONS[name](`$${values.push(filter[name])}`),
    );
    return this.database.list<PolicyDecisionSummary>(page, {
      columns: SUMMARY.join(', '),
      from: `policy_decisions WHERE ${['organization_id = $1', ...conditions].join(' AND ')}`,
      order: 'at DESC, id DESC',
      values,
    });
  }
}

/** Violations are a list of texts; the other lists and objects are JSON. */
function written(column: (typeof WRITTEN)[number], decision: PolicyDecision): unknown {
  const value = decision[column];
  return column === 'policies' || (column === 'input' && value !== null) ? JSON.stringify(value) : value;
}
