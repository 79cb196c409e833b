import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An event that webhooks follow: the request body that all of its deliveries send. */
@Entity('webhook_events')
@Index('ix_webhook_events_created_at', ['created_at'])
export class WebhookEventEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_webhook_events' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_webhook_events' })
  event_id!: string;

  @Column({ type: 'text' })
  body!: string;

  /** Length of the body: what it counts as in `webhook_storage`. */
  @Column({ type: 'integer', default: 0 })
  bytes!: number;

  /** Time of the last insert of its deliveries. */
  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
