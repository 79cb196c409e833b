import { holdsWord, isWord, namedPlace, Searchable, Uses, usesOfEnvironment } from '@app/database';
import type { ExecutionType } from '@app/executions';
import type { JsonObject } from '@app/kernel';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Project, ProjectMember, ProjectStatus, ProjectVisibility } from './project.types.js';

@Entity('projects')
@Searchable({ kind: 'project', scope: 'agents:read', detail: 'named.description', status: 'named.status' })
@Uses({
  place: namedPlace('project'),
  names: {
    ...usesOfEnvironment("(used.settings -> 'execution_environment')"),
    environment: [holdsWord("used.settings -> 'environment_ids'")],
    model: [isWord('used.default_model')],
  },
})
@Unique('uq_projects_organization_id_key', ['organization_id', 'key'])
@Index('uq_projects_organization_id_default', ['organization_id'], { unique: true, where: 'is_default' })
@Index('ix_projects_organization_id_policies', ['organization_id'], { where: "policy_ids <> '{}'" })
@Index('ix_projects_organization_id_created_at', ['organization_id', 'created_at'])
export class ProjectEntity implements Project {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_projects' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  key!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'text', nullable: true })
  goals!: string | null;

  @Column({ type: 'text' })
  status!: ProjectStatus;

  @Column({ type: 'text' })
  visibility!: ProjectVisibility;

  @Column({ type: 'text', nullable: true })
  owner_id!: string | null;

  @Column({ type: 'text', nullable: true })
  owner_email!: string | null;

  @Column({ type: 'text', nullable: true })
  default_model!: string | null;

  @Column({ type: 'json' })
  settings!: JsonObject;

  @Column({ type: 'boolean' })
  restrict_to_environment!: boolean;

  @Column({ type: 'text', array: true })
  policy_ids!: string[];

  @Column({ type: 'boolean' })
  is_default!: boolean;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  archived_at!: Date | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}

@Entity('project_members')
@Unique('uq_project_members_project_id_entity', ['project_id', 'kind', 'entity_id'])
@Index('ix_project_members_entity', ['organization_id', 'kind', 'entity_id'])
@Index('ix_project_members_project_id_added_at', ['project_id', 'kind', 'added_at'])
export class ProjectMemberEntity implements ProjectMember {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_project_members' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @ForeignKey(() => ProjectEntity, { name: 'fk_project_members_project_id', onDelete: 'CASCADE' })
  @Column({ type: 'text' })
  project_id!: string;

  @Column({ type: 'text' })
  kind!: ExecutionType;

  @Column({ type: 'text' })
  entity_id!: string;

  @Column({ type: 'text', nullable: true })
  role!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  added_at!: Date;

  @Column({ type: 'text', nullable: true })
  added_by!: string | null;
}
