import { describe, expect, it } from '@jest/globals';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnsOf } from './columns-of.js';

@Entity('parcels')
class ParcelEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  address!: string;

  @Column({ type: 'text' })
  secret!: string;

  readonly label = 'not a column';
}

describe('columnsOf', () => {
  it('returns the columns in the order of the class, without those that are excluded', () => {
    expect(columnsOf(ParcelEntity)).toEqual(['id', 'address', 'secret']);
    expect(columnsOf(ParcelEntity, 'secret')).toEqual(['id', 'address']);
  });
});
