import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { ExecutionStatus } from '../executions/execution-state.js';
import type { FixedDefinition } from '../runnables/run-definition.js';
import { FIND_DEFINITION, FIND_STEPS, MEASURE_STEPS, REPORTED_COLUMNS, SAVE_STEPS } from './execution-step.sql.js';
import type { ExecutionStep } from './execution-step.types.js';

/** A step as its worker reported it, without the fields of its definition. */
export type ReportedStep = Omit<ExecutionStep, 'type'>;

export interface DefinedExecution {
  readonly definition: FixedDefinition | null;
  readonly status: ExecutionStatus;
}

@Injectable()
export class ExecutionStepRepository {
  constructor(private readonly database: Database) {}

  /** Inserts steps or replaces the stored ones. The names are distinct. */
  async save({ organizationId }: Scope, executionId: string, steps: readonly ReportedStep[]): Promise<void> {
    const columns = Object.keys(REPORTED_COLUMNS) as (keyof typeof REPORTED_COLUMNS)[];
    const values = columns.map((column) =>
      steps.map((step) => (column === 'usage' ? JSON.stringify(step.usage) : step[column])),
    );
    await this.database.prepared(SAVE_STEPS, [organizationId, executionId, ...values]);
  }

  /** Returns the total size in bytes of the texts and usage of the steps of an execution. */
  async bytesOf({ organizationId }: Scope, executionId: string): Promise<number> {
    const [row] = await this.database.prepared<{ bytes: number }>(MEASURE_STEPS, [organizationId, executionId]);
    return row?.bytes ?? 0;
  }

  /** Returns the steps by name. Their total size is limited when they are saved. */
  async find({ organizationId }: Scope, executionId: string): Promise<ReadonlyMap<string, ReportedStep>> {
    const rows = await this.database.prepared<ReportedStep>(FIND_STEPS, [organizationId, executionId]);
    return new Map(rows.map((row) => [row.name, row]));
  }

  async findDefined({ organizationId }: Scope, executionId: string): Promise<DefinedExecution | undefined> {
    const [row] = await this.database.prepared<DefinedExecution>(FIND_DEFINITION, [organizationId, executionId]);
    return row;
  }
}
