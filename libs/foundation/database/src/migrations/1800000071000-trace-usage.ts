import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The models, tokens and cost of the requests to models in a trace. The sums of a trace are `numeric`, because senders
 * determine their size.
 */
export class TraceUsage1800000071000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE traces ADD COLUMN models text[] NOT NULL DEFAULT '{}', ADD COLUMN input_tokens numeric,
        ADD COLUMN output_tokens numeric, ADD COLUMN total_tokens numeric, ADD COLUMN cost_nanos numeric;
      ALTER TABLE spans ADD COLUMN model text, ADD COLUMN input_tokens bigint, ADD COLUMN output_tokens bigint,
        ADD COLUMN total_tokens bigint, ADD COLUMN cost_nanos bigint;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE spans DROP COLUMN model, DROP COLUMN input_tokens, DROP COLUMN output_tokens,
        DROP COLUMN total_tokens, DROP COLUMN cost_nanos;
      ALTER TABLE traces DROP COLUMN models, DROP COLUMN input_tokens, DROP COLUMN output_tokens,
        DROP COLUMN total_tokens, DROP COLUMN cost_nanos;`);
  }
}
