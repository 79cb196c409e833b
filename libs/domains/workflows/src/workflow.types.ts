import type { ChangedBy, JsonObject, Patch } from '@app/kernel';

export const WORKFLOW_STATUSES = ['active', 'inactive', 'archived'] as const;
export type WorkflowStatus = (typeof WORKFLOW_STATUSES)[number];

/** The part of a workflow that its runs follow. Each change of it creates a version. */
export interface WorkflowDefinition {
  /** Checked when they are written, and stored unchanged. */
  readonly steps: readonly JsonObject[];
  readonly configuration: JsonObject;
  readonly team_id: string | null;
}

/** The fields a client can set. */
export interface WorkflowFields extends WorkflowDefinition {
  /** Unique in the organization. */
  readonly name: string;
  readonly description: string | null;
  readonly status: WorkflowStatus;
}

export interface Workflow extends WorkflowFields, ChangedBy {
  readonly id: string;
  readonly organization_id: string;
  /** From 1; each change of the definition increments it. */
  readonly version: number;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Row of a new workflow, without its organization. */
export type NewWorkflow = Omit<Workflow, 'organization_id'>;
export type CreateWorkflow = Pick<WorkflowFields, 'name'> & Patch<Omit<WorkflowFields, 'status'>>;
export type UpdateWorkflow = Patch<WorkflowFields>;

export interface WorkflowFilter {
  readonly name?: string;
  readonly status?: WorkflowStatus;
}

/** A version of the definition. Immutable; deleted with its workflow. */
export interface WorkflowVersion extends WorkflowDefinition {
  readonly workflow_id: string;
  readonly version: number;
  readonly organization_id: string;
  /** The author of this version. */
  readonly created_by: string | null;
  readonly created_at: Date;
}
