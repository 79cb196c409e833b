import { listsWord, Uses } from '@app/database';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { EntityContext } from './entity-context.types.js';

const PRIMARY_KEY = { type: 'text', primaryKeyConstraintName: 'pk_entity_contexts' } as const;

@Entity('entity_contexts')
@Uses({
  place: "'context of ' || used.entity_type || ' ' || used.entity_id",
  names: { knowledge: [listsWord('used.knowledge_uuids')] },
})
@Index('ix_entity_contexts_organization_id_policies', ['organization_id'], { where: `policy_ids <> '{}'` })
export class EntityContextEntity implements EntityContext {
  @PrimaryColumn(PRIMARY_KEY)
  organization_id!: string;

  @PrimaryColumn(PRIMARY_KEY)
  entity_type!: string;

  @PrimaryColumn(PRIMARY_KEY)
  entity_id!: string;

  @Column({ type: 'text', array: true })
  knowledge_uuids!: string[];

  @Column({ type: 'text', array: true })
  resource_ids!: string[];

  @Column({ type: 'text', array: true })
  policy_ids!: string[];

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
