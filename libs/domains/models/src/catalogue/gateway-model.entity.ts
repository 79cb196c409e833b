import type { JsonObject } from '@app/kernel';
import { Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import type { ModelType } from '../model.types.js';
import type { GatewayModel } from './gateway-models.js';
import type { StoredCatalogue } from './model-catalogue.repository.js';

/** Read and written by SQL only: the class declares the table for the drift check. */
@Entity('model_catalogues')
export class ModelCatalogueEntity implements StoredCatalogue {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_model_catalogues' })
  gateway!: string;

  @Column({ type: 'text' })
  claim!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  claimed_until!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  due_at!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  fetched_at!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  failing_since!: Date | null;

  @Column({ type: 'integer' })
  failures!: number;
}

/** A model that the gateway lists. Read and written by SQL only. */
@Entity('gateway_models')
@Unique('uq_gateway_models_gateway_id', ['gateway', 'id'])
export class GatewayModelEntity implements GatewayModel {
  @ForeignKey(() => ModelCatalogueEntity, { name: 'fk_gateway_models_gateway', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_gateway_models' })
  gateway!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_gateway_models' })
  value!: string;

  @Column({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  label!: string;

  @Column({ type: 'text' })
  provider!: string;

  @Column({ type: 'text' })
  model_type!: ModelType;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

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
