import { isFirstWord, isWord, namedPlace, Revised, RevisionColumn, Searchable, Uses } from '@app/database';
import type { JsonObject } from '@app/kernel';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Workflow, WorkflowStatus, WorkflowVersion } from './workflow.types.js';

@Entity('workflows')
@Revised({ kind: 'workflow', hasUniqueName: true })
@Searchable({ kind: 'workflow', scope: 'workflows:read', detail: 'named.description', status: 'named.status' })
@Uses({
  place: namedPlace('workflow'),
  names: {
    agent: [hasStepWith('agent_id')],
    model: [hasStepWith('model_id')],
    team: [hasStepWith('team_id'), isFirstWord('used.team_id')],
  },
})
@Unique('uq_workflows_organization_id_name', ['organization_id', 'name'])
@Index('ix_workflows_organization_id_created_at', ['organization_id', 'created_at', 'id'])
export class WorkflowEntity implements Workflow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_workflows' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'text' })
  status!: WorkflowStatus;

  @Column({ type: 'json' })
  steps!: readonly JsonObject[];

  @Column({ type: 'json' })
  configuration!: JsonObject;

  @Column({ type: 'text', nullable: true })
  team_id!: string | null;

  @Column({ type: 'integer' })
  version!: number;

  @Column({ type: 'text', nullable: true })
  created_by!: string | null;

  @Column({ type: 'text', nullable: true })
  updated_by!: string | null;

  @Column({ type: 'text', nullable: true })
  updated_by_email!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;

  @RevisionColumn()
  readonly revision?: number;
}

@Entity('workflow_versions')
export class WorkflowVersionEntity implements WorkflowVersion {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_workflow_versions' })
  @ForeignKey(() => WorkflowEntity, { name: 'fk_workflow_versions_workflow_id', onDelete: 'CASCADE' })
  workflow_id!: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'pk_workflow_versions' })
  version!: number;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'json' })
  steps!: readonly JsonObject[];

  @Column({ type: 'json' })
  configuration!: JsonObject;

  @Column({ type: 'text', nullable: true })
  team_id!: string | null;

  @Column({ type: 'text', nullable: true })
  created_by!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}

/** Condition: a field of a step is one of the words. */
function hasStepWith(field: string): string {
  return `EXISTS (SELECT FROM json_array_elements(used.steps) step WHERE ${isWord(`(step ->> '${field}')`)})`;
}
