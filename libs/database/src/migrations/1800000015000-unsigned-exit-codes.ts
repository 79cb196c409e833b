import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Exit codes of Windows are unsigned 32-bit numbers; crashes use the upper half, such as 0xC0000005. */
export class UnsignedExitCodes1800000015000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workers ALTER COLUMN exit_code TYPE double precision');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE workers ALTER COLUMN exit_code TYPE integer USING least(exit_code, 2147483647)::integer',
    );
  }
}
