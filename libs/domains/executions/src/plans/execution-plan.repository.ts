import { Database } from '@app/database';
import type { JsonObject, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { ExecutionWithConfig } from '../executions/execution.types.js';
import { FIND_HELD_EXECUTION, STORE_PLAN } from './execution-plan.sql.js';
import type { ExecutionPlan } from '../executions/execution-plan.js';
import type { HeldExecution } from './execution-plan.types.js';

interface HeldRow extends ExecutionWithConfig {
  readonly attempt: number;
  readonly lease_worker_id: string | null;
  readonly lease_expires_at: Date | null;
}

/** A plan with the columns of the execution that depend on it. */
export interface StoredPlan {
  readonly plan: ExecutionPlan;
  readonly callable: readonly string[] | null;
  readonly metadata: JsonObject;
  readonly now: Date;
}

@Injectable()
export class ExecutionPlanRepository {
  constructor(private readonly database: Database) {}

  /** Returns undefined if the execution does not exist or the token is not its current one. */
  async findHeld({ organizationId }: Scope, id: string, leaseToken: string): Promise<HeldExecution | undefined> {
    const [row] = await this.database.prepared<HeldRow>(FIND_HELD_EXECUTION, [organizationId, id, leaseToken]);
    if (row === undefined) return undefined;
    const { attempt, lease_worker_id: workerId, lease_expires_at: expiresAt, ...execution } = row;
    return { execution, leaseToken, attempt, workerId, expiresAt };
  }

  /** Returns false if the execution has ended or has an entity, or if the token is not its current one. */
  async store(
    { organizationId }: Scope,
    { id, leaseToken }: { readonly id: string; readonly leaseToken: string },
    { plan, callable, metadata, now }: StoredPlan,
  ): Promise<boolean> {
    const rows = await this.database.prepared(STORE_PLAN, [
      organizationId,
      id,
      leaseToken,
      plan.entity_type,
      plan.entity_id,
      plan.entity_name,
      plan.prompt,
      callable,
      JSON.stringify(plan),
      JSON.stringify(metadata),
      now,
    ]);
    return rows.length > 0;
  }
}
