import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import type { Organization } from './organization.types.js';

@Entity('organizations')
@Unique('uq_organizations_slug', ['slug'])
export class OrganizationEntity implements Organization {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'pk_organizations' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  slug!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
