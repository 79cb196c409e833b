import { Searchable } from '@app/database';
import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { KnowledgeEntry } from './knowledge.types.js';

@Entity('knowledge')
@Searchable({ kind: 'knowledge', scope: 'knowledge:read', detail: 'named.description' })
@Index('ix_knowledge_organization_id_created_at', ['organization_id', 'created_at'])
@Index('ix_knowledge_organization_id_length_of_name', { synchronize: false })
@Index('ix_knowledge_tags', { synchronize: false })
export class KnowledgeEntity implements Omit<KnowledgeEntry, 'size'> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_knowledge' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'text', nullable: true })
  content!: string | null;

  @Column({ type: 'text', array: true })
  tags!: string[];

  @Column({ type: 'json' })
  metadata!: JsonObject;

  @Column({ type: 'text', nullable: true })
  created_by!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
