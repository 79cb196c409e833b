import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The bytes that the stored deliveries and events of an organization count as. Triggers write it. */
@Entity('webhook_storage')
export class WebhookStorageEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_webhook_storage' })
  organization_id!: string;

  @Column({ type: 'bigint' })
  bytes!: string;
}
