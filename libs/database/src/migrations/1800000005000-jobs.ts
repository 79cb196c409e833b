import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Jobs1800000005000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE jobs (
        id text NOT NULL,
        organization_id text NOT NULL,
        name text NOT NULL,
        trigger_type text NOT NULL,
        prompt_template text NOT NULL,
        description text,
        enabled boolean NOT NULL,
        cron_schedule text,
        cron_timezone text NOT NULL,
        planning_mode text NOT NULL,
        entity_type text,
        entity_id text,
        system_prompt text,
        executor_type text NOT NULL,
        worker_queue_name text,
        environment_name text,
        config json NOT NULL,
        execution_environment json NOT NULL,
        engine_schedule_id text,
        webhook_token text,
        webhook_secret text,
        created_by text NOT NULL,
        created_by_email text,
        updated_by text NOT NULL,
        updated_by_email text,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_jobs PRIMARY KEY (id),
        CONSTRAINT uq_jobs_webhook_token UNIQUE (webhook_token)
      );
      CREATE INDEX ix_jobs_organization_id_created_at ON jobs (organization_id, created_at);
      CREATE TABLE job_webhook_messages (
        job_id text NOT NULL,
        message_id text NOT NULL,
        received_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_job_webhook_messages PRIMARY KEY (job_id, message_id),
        CONSTRAINT fk_job_webhook_messages_job_id FOREIGN KEY (job_id) REFERENCES jobs (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_job_webhook_messages_job_id_received_at ON job_webhook_messages (job_id, received_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE job_webhook_messages; DROP TABLE jobs;');
  }
}
