import type { JsonObject } from '@app/kernel';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { WebhookEntity } from '../webhook.entity.js';
import { DELIVERY_BYTES, type WebhookDelivery, type DeliveryStatus } from './webhook-delivery.types.js';

const IS_PENDING = "status = 'pending'";

@Entity('webhook_deliveries')
@Unique('uq_webhook_deliveries_webhook_id_event_id', ['webhook_id', 'event_id'])
@Index('ix_webhook_deliveries_listed', ['organization_id', 'webhook_id', 'created_at', 'id'])
@Index('ix_webhook_deliveries_event_id', ['event_id'])
@Index('ix_webhook_deliveries_due', ['webhook_id', 'next_attempt_at'], { where: IS_PENDING })
@Index('ix_webhook_deliveries_created_at', ['created_at'])
@Index('ix_webhook_deliveries_ended', ['organization_id', 'created_at'], {
  where: "status <> 'pending' AND bytes > 0",
})
@Index('ix_webhook_deliveries_refused', ['organization_id', 'created_at'], { where: 'bytes = 0' })
export class WebhookDeliveryEntity implements WebhookDelivery {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_webhook_deliveries' })
  id!: string;

  @Column({ type: 'text' })
  organization_id!: string;

  @Column({ type: 'text' })
  @ForeignKey(() => WebhookEntity, { onDelete: 'CASCADE', name: 'fk_webhook_deliveries_webhook_id' })
  webhook_id!: string;

  @Column({ type: 'text', nullable: true })
  event_id!: string | null;

  @Column({ type: 'text' })
  event_type!: string;

  @Column({ type: 'text', nullable: true })
  execution_id!: string | null;

  /** Of a test, or of a delivery that an earlier version stored; otherwise the body is that of the event. */
  @Column({ type: 'text', nullable: true })
  body!: string | null;

  /** What it counts as in `webhook_storage`; 0 if the storage limit of its organization refused it. */
  @Column({ type: 'integer', default: DELIVERY_BYTES })
  bytes!: number;

  @Column({ type: 'text' })
  status!: DeliveryStatus;

  @Column({ type: 'integer' })
  attempts!: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  next_attempt_at!: Date | null;

  @Column({ type: 'json', nullable: true })
  request_headers!: JsonObject | null;

  @Column({ type: 'integer', nullable: true })
  response_status!: number | null;

  @Column({ type: 'integer', nullable: true })
  response_ms!: number | null;

  @Column({ type: 'json', nullable: true })
  response_headers!: JsonObject | null;

  @Column({ type: 'text', nullable: true })
  response_body!: string | null;

  @Column({ type: 'text', nullable: true })
  error!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
