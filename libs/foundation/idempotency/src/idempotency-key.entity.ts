import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { StoredResponse } from './idempotency.repository.js';

@Entity('idempotency_keys')
@Index('ix_idempotency_keys_created_at', ['created_at'])
export class IdempotencyKeyEntity implements StoredResponse {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_idempotency_keys' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_idempotency_keys' })
  key!: string;

  /** See `IdempotentRequest`. A request with the same key and another digest is rejected. */
  @Column({ type: 'text' })
  request_digest!: string;

  @Column({ type: 'integer' })
  status!: number;

  /** The response, with its secrets redacted. */
  @Column({ type: 'json', nullable: true })
  body!: unknown;

  /** The encrypted complete response if it has secrets; see `sealResponse`. */
  @Column({ type: 'bytea', nullable: true })
  sealed_body!: Buffer | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
