import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { StoredSecret } from './secret.types.js';

@Entity('secrets')
@Index('ix_secrets_organization_id_created_at', ['organization_id', 'created_at'])
@Index('ix_secrets_key_id', ['key_id'])
export class SecretEntity implements StoredSecret {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_secrets' })
  organization_id!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_secrets' })
  name!: string;

  @Column({ type: 'bytea' })
  sealed!: Buffer;

  @Column({ type: 'text' })
  key_id!: string;

  @Column({ type: 'text', nullable: true })
  created_by!: string | null;

  @Column({ type: 'text', nullable: true })
  updated_by!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
