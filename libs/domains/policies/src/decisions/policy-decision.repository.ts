import { Database } from '@app/database';
import { withoutUndefined, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyDecisionEntity } from './policy-decision.entity.js';
import { DECISION_COLUMNS, INSERT_DECISION, SUMMARY_COLUMNS } from './policy-decision.sql.js';
import type { PolicyDecision, PolicyDecisionFilter, PolicyDecisionSummary } from './policy-decision.types.js';

/** The decision log. Rows are never updated. */
@Injectable()
export class PolicyDecisionRepository {
  constructor(private readonly database: Database) {}

  async insert(decision: PolicyDecision): Promise<void> {
    const policyIds = decision.policies.map(({ policy_id }) => policy_id);
    const values = DECISION_COLUMNS.map((column) => toParameter(column, decision));
    await this.database.prepared(INSERT_DECISION, [...values, policyIds]);
  }

  async find({ organizationId }: Scope, id: string): Promise<PolicyDecision | undefined> {
    const query = this.database
      .select(PolicyDecisionEntity, 'decision', { organization_id: organizationId, id })
      .select(DECISION_COLUMNS.map((column) => `decision.${column}`));
    const [decision] = await this.database.rows<PolicyDecisionEntity, PolicyDecision>(query);
    return decision;
  }

  async findNewestIdOf({ organizationId }: Scope, executionId: string): Promise<string | undefined> {
    const query = this.database
      .select(PolicyDecisionEntity, 'decision', { organization_id: organizationId, execution_id: executionId })
      .select('decision.id')
      .orderBy('decision.at', 'DESC')
      .addOrderBy('decision.id', 'DESC')
      .limit(1);
    const [newest] = await this.database.rows<PolicyDecisionEntity, Pick<PolicyDecision, 'id'>>(query);
    return newest?.id;
  }

  /** Newest first. */
  async list(scope: Scope, filter: PolicyDecisionFilter, page: Page): Promise<PageResult<PolicyDecisionSummary>> {
    return this.listColumns(scope, filter, page, SUMMARY_COLUMNS);
  }

  /** Newest first. */
  async listWithInputs(scope: Scope, filter: PolicyDecisionFilter, page: Page): Promise<PageResult<PolicyDecision>> {
    return this.listColumns<PolicyDecision>(scope, filter, page, DECISION_COLUMNS);
  }

  /** Returns the number of decisions since then for which the policy was evaluated, and how many of them deny. */
  async countSince(
    { organizationId }: Scope,
    policy_id: string,
    since: Date,
  ): Promise<{ readonly decisions: number; readonly denied: number }> {
    const query = this.database
      .select(PolicyDecisionEntity, 'decision', { organization_id: organizationId })
      .select('count(*)::int', 'decisions')
      .addSelect('count(*) FILTER (WHERE NOT decision.allowed)::int', 'denied')
      .andWhere('decision.policy_ids @> ARRAY[:policy_id::text]', { policy_id })
      .andWhere('decision.at >= :since', { since });
    const [counted] = await this.database.rows<PolicyDecisionEntity, { decisions: number; denied: number }>(query);
    return counted ?? { decisions: 0, denied: 0 };
  }

  private async listColumns<Row extends PolicyDecisionSummary>(
    { organizationId }: Scope,
    filter: PolicyDecisionFilter,
    page: Page,
    columns: readonly string[],
  ): Promise<PageResult<Row>> {
    const { kind, entity_type, entity_id, allowed, execution_id, policy_id, from, to } = filter;
    const given = withoutUndefined({ kind, entity_type, entity_id, allowed, execution_id });
    const query = this.database
      .select(PolicyDecisionEntity, 'decision', { ...given, organization_id: organizationId })
      .select(columns.map((column) => `decision.${column}`))
      .orderBy('decision.at', 'DESC');
    if (policy_id !== undefined) query.andWhere('decision.policy_ids @> ARRAY[:policy_id::text]', { policy_id });
    if (from !== undefined) query.andWhere('decision.at >= :from', { from });
    if (to !== undefined) query.andWhere('decision.at < :to', { to });
    return this.database.listPage<PolicyDecisionEntity, Row>(query, page);
  }
}

/** `violations` is a `text[]` column; `policies` and `input` are JSON. */
function toParameter(column: (typeof DECISION_COLUMNS)[number], decision: PolicyDecision): unknown {
  const value = decision[column];
  return column === 'policies' || (column === 'input' && value !== null) ? JSON.stringify(value) : value;
}
