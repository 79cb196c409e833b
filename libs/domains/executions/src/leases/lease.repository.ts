import { Database, type PreparedStatement } from '@app/database';
import type { Page, PageResult, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ExecutionEntity } from '../executions/execution.entity.js';
import type { ExecutionWithConfig } from '../executions/execution.types.js';
import {
  CLAIM_EXECUTIONS,
  CLAIM_LOCKED_EXECUTIONS,
  CONFIRM_LEASES,
  FIND_COMMANDS,
  LIMIT_LOCK_WAIT,
  RENEW_LEASE,
  RENEW_LEASES,
  RENEW_LOCKED_LEASES,
  SET_TIME_LIMIT,
} from './lease.sql.js';
import { HELD_LEASE_COLUMNS, type GivenCommand, type HeldLease, type WorkerCommand } from './lease.types.js';

/** The lease to acquire for a delivery. */
export interface Claim {
  readonly executionId: string;
  readonly attempt: number;
  readonly token: string;
}

type LeaseKey = Pick<Claim, 'executionId' | 'token'>;

export interface Claimer {
  readonly queueId: string;
  readonly workerId: string;
  /** Milliseconds after which the lease expires if the worker writes nothing. */
  readonly confirmMs: number;
  readonly leaseMs: number;
  /** Null keeps the stored one. */
  readonly runnerName: string | null;
}

export interface ClaimedExecution {
  readonly execution: ExecutionWithConfig;
  readonly expiresAt: Date;
}

interface ClaimedRow extends ExecutionWithConfig {
  readonly lease_expires_at: Date;
  readonly token: string;
}

/** A renewal of the leases of a worker. */
export interface Renewal {
  readonly workerId: string;
  readonly leaseMs: number;
  /** The executions to renew; null: all that the worker holds. */
  readonly executionIds: readonly string[] | null;
}

export interface Renewed {
  readonly commands: readonly WorkerCommand[];
  /** Executions whose leases were not renewed, because other transactions have locked them. */
  readonly locked: readonly string[];
}

export interface Confirmed {
  readonly commands: readonly WorkerCommand[];
  /** The executions whose leases may be delivered. */
  readonly deliverable: ReadonlySet<string>;
}

interface CommandRow {
  readonly command: WorkerCommand['command'] | null;
  readonly execution_id: string;
}

@Injectable()
export class LeaseRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns undefined if the delivery is no longer valid: the execution has another attempt or queue, is not pending,
   * or is leased. Waits if the execution is locked.
   */
  async claim(scope: Scope, claim: Claim, claimer: Claimer): Promise<ClaimedExecution | undefined> {
    return (await this.claimWith(CLAIM_LOCKED_EXECUTIONS, scope, [claim], claimer)).get(claim.token);
  }

  /**
   * Acquires several leases in one statement. Returns them by token. Leaves out locked executions, and deliveries that
   * are no longer valid.
   */
  async claimAll(
    scope: Scope,
    claims: readonly Claim[],
    claimer: Claimer,
  ): Promise<ReadonlyMap<string, ClaimedExecution>> {
    return this.claimWith(CLAIM_EXECUTIONS, scope, claims, claimer);
  }

  private async claimWith(
    statement: PreparedStatement,
    { organizationId }: Scope,
    claims: readonly Claim[],
    claimer: Claimer,
  ): Promise<ReadonlyMap<string, ClaimedExecution>> {
    const rows = await this.database.prepared<ClaimedRow>(statement, [
      organizationId,
      claims.map(({ executionId }) => executionId),
      claims.map(({ attempt }) => attempt),
      claims.map(({ token }) => token),
      claimer.queueId,
      claimer.workerId,
      claimer.confirmMs,
      claimer.leaseMs,
      claimer.runnerName,
    ]);
    return new Map(
      rows.map(({ token, lease_expires_at: expiresAt, ...execution }) => [token, { execution, expiresAt }]),
    );
  }

  /**
   * Renews the leases whose executions the worker has set to `running`, and returns its commands, in one statement. A
   * lease whose execution is still pending is not renewed: the response to the poll may have been lost, and the worker,
   * not knowing of the lease, would block the execution for other workers.
   */
  async renewAll({ organizationId }: Scope, renewal: Renewal): Promise<Renewed> {
    const rows = await this.database.prepared<CommandRow>(RENEW_LEASES, valuesOf(organizationId, renewal));
    return { commands: commandsOf(rows), locked: withoutCommand(rows) };
  }

  /** Like `renewAll`, but waits for locked executions. Throws if it has to wait longer than two seconds for one. */
  async renewLocked({ organizationId }: Scope, renewal: Renewal): Promise<void> {
    await this.database.transaction(async () => {
      await this.database.sql(LIMIT_LOCK_WAIT);
      await this.database.sql(RENEW_LOCKED_LEASES, valuesOf(organizationId, renewal));
    });
  }

  /** Returns the leases of a worker, those of the newest executions first. */
  async listHeld({ organizationId }: Scope, workerId: string, page: Page): Promise<PageResult<HeldLease>> {
    const query = this.database
      .select(ExecutionEntity, 'execution', { organization_id: organizationId, lease_worker_id: workerId })
      .andWhere('execution.lease_expires_at IS NOT NULL')
      .select(HELD_LEASE_COLUMNS.map((column) => `execution.${column}`))
      .orderBy('execution.created_at', 'DESC');
    return this.database.listPage<ExecutionEntity, HeldLease>(query, page);
  }

  async findCommands({ organizationId }: Scope, workerId: string): Promise<readonly GivenCommand[]> {
    return this.database.shared<GivenCommand>(FIND_COMMANDS, [organizationId, workerId]);
  }

  /** Returns the commands of the worker, and which of the leases may be delivered, in one statement. */
  async confirm({ organizationId }: Scope, workerId: string, leases: readonly LeaseKey[]): Promise<Confirmed> {
    const executions = leases.map(({ executionId }) => executionId);
    const tokens = leases.map(({ token }) => token);
    const values = [organizationId, workerId, executions, tokens];
    const rows = await this.database.prepared<CommandRow>(CONFIRM_LEASES, values);
    return { commands: commandsOf(rows), deliverable: new Set(withoutCommand(rows)) };
  }

  /**
   * Renews the lease under this token and returns its length in milliseconds; null when the token is not current. Locks
   * the row, so that no other worker acquires the lease before the transaction ends. A holder that ended its execution
   * keeps the token without a lease; the result is then the length that the lease had.
   */
  async renew({ organizationId }: Scope, executionId: string, token: string): Promise<number | null> {
    const values = [organizationId, executionId, token];
    const [row] = await this.database.prepared<{ valid_ms: number | null }>(RENEW_LEASE, values);
    return row?.valid_ms ?? null;
  }

  /** Stores how long the attempt under this token may run; null: the default. */
  async setTimeLimit({ organizationId }: Scope, lease: LeaseKey, timeoutMs: number | null): Promise<void> {
    await this.database.prepared(SET_TIME_LIMIT, [organizationId, lease.executionId, lease.token, timeoutMs]);
  }
}

function commandsOf(rows: readonly CommandRow[]): readonly WorkerCommand[] {
  return rows.flatMap(({ command, execution_id }) => (command === null ? [] : [{ command, execution_id }]));
}

function withoutCommand(rows: readonly CommandRow[]): readonly string[] {
  return rows.flatMap(({ command, execution_id }) => (command === null ? [execution_id] : []));
}

function valuesOf(organizationId: string, { workerId, leaseMs, executionIds }: Renewal): readonly unknown[] {
  return [organizationId, workerId, executionIds, leaseMs];
}
