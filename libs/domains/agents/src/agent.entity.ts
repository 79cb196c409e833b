import {
  isWord,
  listsWord,
  namedPlace,
  Revised,
  RevisionColumn,
  Searchable,
  Uses,
  usesOfEnvironment,
} from '@app/database';
import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { AgentStatus, Agent } from './agent.types.js';

@Entity('agents')
@Revised({ kind: 'agent' })
@Searchable({ kind: 'agent', scope: 'agents:read', detail: 'named.description', status: 'named.status' })
@Uses({
  place: namedPlace('agent'),
  names: {
    ...usesOfEnvironment('used.execution_environment'),
    environment: [listsWord('used.environment_ids')],
    model: [isWord('used.model_id')],
  },
})
@Index('ix_agents_organization_id_created_at', ['organization_id', 'created_at'])
@Index('ix_agents_organization_id_name', ['organization_id', 'name'])
@Index('ix_agents_organization_id_length_of_name', { synchronize: false })
@Index('ix_agents_organization_id_team_id', ['organization_id', 'team_id'])
export class AgentEntity implements Agent {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_agents' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'text', nullable: true })
  system_prompt!: string | null;

  @Column({ type: 'text', array: true })
  capabilities!: string[];

  @Column({ type: 'json' })
  configuration!: JsonObject;

  @Column({ type: 'text', nullable: true })
  model_id!: string | null;

  @Column({ type: 'json' })
  llm_config!: JsonObject;

  @Column({ type: 'text', nullable: true })
  runtime!: string | null;

  @Column({ type: 'text', nullable: true })
  team_id!: string | null;

  @Column({ type: 'text', array: true })
  environment_ids!: string[];

  @Column({ type: 'json' })
  execution_environment!: JsonObject;

  @Column({ type: 'text' })
  status!: AgentStatus;

  @Column({ type: 'json' })
  state!: JsonObject;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  last_active_at!: Date | null;

  @Column({ type: 'text', nullable: true })
  error_message!: string | null;

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
