import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

@Entity('organizations')
@Unique('uq_organizations_slug', ['slug'])
export class OrganizationEntity {
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
