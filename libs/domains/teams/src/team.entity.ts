import {
  holdsWord,
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
import type { Team, TeamStatus } from './team.types.js';

@Entity('teams')
@Revised({ kind: 'team' })
@Searchable({ kind: 'team', scope: 'agents:read', detail: 'named.description', status: 'named.status' })
@Uses({
  place: namedPlace('team'),
  names: {
    ...usesOfEnvironment('used.execution_environment'),
    environment: [listsWord('used.environment_ids')],
    knowledge: [holdsWord("used.configuration -> 'knowledge_base' -> 'knowledge_uuids'")],
    model: [
      isWord("(used.configuration -> 'llm' ->> 'model')"),
      isWord("(used.configuration -> 'reasoning' ->> 'model')"),
    ],
  },
})
@Index('ix_teams_organization_id_created_at', ['organization_id', 'created_at'])
@Index('ix_teams_organization_id_name', ['organization_id', 'name'])
export class TeamEntity implements Team {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_teams' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'text' })
  status!: TeamStatus;

  @Column({ type: 'json' })
  configuration!: JsonObject;

  @Column({ type: 'text', nullable: true })
  runtime!: string | null;

  @Column({ type: 'text', array: true, default: '{}' })
  environment_ids!: string[];

  @Column({ type: 'json' })
  execution_environment!: JsonObject;

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
