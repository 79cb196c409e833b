import type { JsonObject } from '@app/kernel';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ModelType, StoredModel } from './model.types.js';

@Entity('models')
@Unique('uq_models_organization_id_value', ['organization_id', 'value'])
@Index('ix_models_organization_id_display_order', ['organization_id', 'display_order', 'created_at'])
export class ModelEntity implements StoredModel {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_models' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  value!: string;

  @Column({ type: 'text' })
  label!: string;

  @Column({ type: 'text' })
  provider!: string;

  @Column({ type: 'text' })
  model_type!: ModelType;

  @Column({ type: 'text', nullable: true })
  logo!: string | null;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'boolean' })
  enabled!: boolean;

  @Column({ type: 'boolean' })
  recommended!: boolean;

  @Column({ type: 'text', array: true })
  compatible_runtimes!: readonly string[];

  @Column({ type: 'json' })
  capabilities!: JsonObject;

  @Column({ type: 'json' })
  pricing!: JsonObject;

  @Column({ type: 'integer' })
  display_order!: number;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
