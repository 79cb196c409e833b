/** Rows of one database. The measured organization has a tenth of each. */
export interface Size {
  readonly organizations: number;
  readonly queues: number;
  readonly jobs: number;
  readonly executions: number;
}

/** What the rows of a database are copies of. All belong to the measured organization. */
export interface Origin {
  readonly organizationId: string;
  readonly agentId: string;
  readonly environmentId: string;
  readonly jobId: string;
  readonly queueId: string;
  readonly workerId: string;
}

/** The executions end evenly over this time. Those older than `RETENTION_DAYS` are expired. */
const PERIOD_DAYS = 100;
export const RETENTION_DAYS = 90;

const FINAL = `('completed', 'failed', 'cancelled', 'terminated')`;

/** The organization of the row `n`: every tenth belongs to the measured one, the others are spread evenly. */
const owner = (n: string, { organizations }: Size, measured: string): string =>
  `CASE WHEN ${n} % 10 = 0 THEN '${measured}' ELSE 'org-' || 1 + ${n} % ${organizations - 1} END`;

/** Copies `from` of a table with other values of some columns. */
const copies = (table: string, from: string, rows: number, values: Readonly<Record<string, string>>): string => `
  INSERT INTO ${table} SELECT (json_populate_record(origin, json_build_object(
    ${Object.entries(values)
      .map(([column, value]) => `'${column}', ${value}`)
      .join(', ')}))).*
  FROM ${table} origin, generate_series(1, ${rows}) n WHERE origin.id = '${from}'`;

/** Organizations, environments, agents, queues, workers and jobs. */
export function resources(size: Size, origin: Origin): string[] {
  const { organizations, queues, jobs } = size;
  const of = owner('n', size, origin.organizationId);
  const environment = `CASE WHEN n % 10 = 0 THEN '${origin.environmentId}' ELSE 'environment-' || 1 + n % ${organizations - 1} END`;
  return [
    `INSERT INTO organizations (id, name, slug, created_at, updated_at)
      SELECT 'org-' || n, 'Organization ' || n, 'organization-' || n, now(), now() FROM generate_series(1, ${organizations - 1}) n`,
    copies('environments', origin.environmentId, organizations - 1, {
      id: `'environment-' || n`,
      organization_id: `'org-' || n`,
      worker_token: `'token-' || n`,
    }),
    copies('agents', origin.agentId, jobs / 10, {
      id: `'agent-' || n`,
      organization_id: of,
      name: `'Assistant ' || n`,
      created_at: `now() - n * interval '1 minute'`,
    }),
    copies('worker_queues', origin.queueId, queues, {
      id: `'queue-' || n`,
      organization_id: of,
      environment_id: environment,
      name: `'queue-' || n`,
      created_at: `now() - n * interval '1 minute'`,
    }),
    // Each queue has two workers. One in ten workers lives, for the time of the measurement: in each queue of the measured
    // organization, one.
    copies('workers', origin.workerId, queues * 2, {
      id: `'worker-' || n`,
      organization_id: owner('((n + 1) / 2)', size, origin.organizationId),
      worker_queue_id: `'queue-' || (n + 1) / 2`,
      status: `CASE WHEN n % 20 IN (0, 9) THEN 'active' ELSE 'disconnected' END`,
      last_heartbeat_at: `now() + CASE WHEN n % 20 IN (0, 9) THEN interval '6 hours' ELSE interval '0' END`,
      disconnected_at: `CASE WHEN n % 20 NOT IN (0, 9) THEN now() END`,
      created_at: `now() - n * interval '1 second'`,
    }),
    // One in ten jobs has a schedule, of which none is due soon.
    copies('jobs', origin.jobId, jobs, {
      id: `'job-' || n`,
      organization_id: of,
      name: `'Report ' || n`,
      entity_id: `'agent-' || n % ${jobs / 10}`,
      trigger_type: `CASE WHEN n % 100 < 10 THEN 'cron' ELSE 'manual' END`,
      cron_schedule: `CASE WHEN n % 100 < 10 THEN '0 0 1 1 *' END`,
      engine_schedule_id: `CASE WHEN n % 100 < 10 THEN 'job-' || n END`,
      next_execution_at: `CASE WHEN n % 100 < 10 THEN date_trunc('year', now() + interval '1 year') END`,
      created_at: `now() - n * interval '1 minute'`,
    }),
  ];
}

/**
 * Executions from `first` to `last`, oldest first, with ids like those of the platform. One in ten of the measured
 * organization belongs to the job `job-10`; one in ten of all failed, one in 10,000 of the last ones waits.
 */
export function executions(size: Size, origin: Origin, first: number, last: number): string {
  const { jobs, queues } = size;
  const step = (PERIOD_DAYS * 86_400_000) / size.executions;
  const waits = `n % 10000 = 1 AND n > ${size.executions / 2}`;
  return `
    INSERT INTO executions (organization_id, id, execution_type, entity_id, entity_name, prompt, status, response,
      error_message, cause, user_id, usage, execution_metadata, participants, created_at, started_at, completed_at,
      updated_at, job_id, trigger_type, trigger_metadata, config, execution_environment, traceparent, worker_queue_id,
      queued_at, attempt, max_attempts, model, input_tokens, output_tokens, total_tokens, cost_nanos, session_id,
      session_turn)
    SELECT ${owner('j', size, origin.organizationId)},
      substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7' || substr(hash, 1, 3) || '-8' || substr(hash, 4, 3) || '-' || substr(hash, 7, 12),
      'agent', 'agent-' || j % ${jobs / 10}, 'Assistant', repeat(substr(hash, 1, 20), 10),
      CASE WHEN ${waits} THEN 'pending' WHEN n % 100 >= 90 THEN 'failed' ELSE 'completed' END,
      CASE WHEN NOT ${waits} THEN repeat(substr(hash, 1, 25), 10) END,
      CASE WHEN n % 100 >= 90 THEN 'The tool is not available' END,
      CASE WHEN n % 100 >= 90 THEN lpad(to_hex(n % 20), 16, '0') END,
      'user-' || n % 997, '{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150}', '{}', '[]', at,
      CASE WHEN NOT ${waits} THEN at + interval '1 second' END,
      CASE WHEN NOT ${waits} THEN at + (2 + n % 60) * interval '1 second' END, at + (2 + n % 60) * interval '1 second',
      CASE WHEN n % 100 = 0 THEN 'job-10' ELSE 'job-' || j END, 'manual', '{}', '{}', '{}',
      '00-' || hash || '-' || substr(hash, 1, 16) || '-01', 'queue-' || 1 + n % ${queues}, at, 1, 3, 'model-' || n % 3,
      100, 50, 150, 1000,
      CASE WHEN n % 20 = 0 THEN 'session-' || n END, CASE WHEN n % 20 = 0 THEN 1 END
    FROM generate_series(${first}, ${last}) n,
      LATERAL (SELECT md5(n::text) AS hash, now() - interval '${PERIOD_DAYS} days' + n * (${step} * interval '1 millisecond') AS at) placed,
      LATERAL (SELECT n % ${jobs} AS j) owned,
      LATERAL (SELECT lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') AS hex) timed`;
}

/** What belongs to the executions that exist. */
export function belongings({ organizationId }: Origin): string[] {
  const expired = `created_at < now() - interval '${RETENTION_DAYS} days'`;
  return [
    `INSERT INTO execution_transitions (organization_id, execution_id, at, from_status, to_status, attempt, actor_kind)
      SELECT organization_id, id, created_at + made.seconds * interval '1 second', made.former, made.latter, 1, 'worker'
      FROM executions, (VALUES (0, null, 'pending'), (1, 'pending', 'running'), (2, 'running', 'completed'))
        AS made (seconds, former, latter)`,
    `INSERT INTO execution_counts (organization_id, job_id, slot, total, successful, failed, cancelled)
      SELECT organization_id, job_id, 0, count(*), count(*) FILTER (WHERE status = 'completed'),
        count(*) FILTER (WHERE status = 'failed'), 0
      FROM executions WHERE job_id LIKE 'job-%' GROUP BY 1, 2`,
    `INSERT INTO execution_sessions (organization_id, execution_id, metadata, created_at, updated_at, last_position, stored_messages, stored_bytes)
      SELECT organization_id, id, '{}', created_at, created_at, 4, 4, 800 FROM executions WHERE ${expired}`,
    `INSERT INTO session_messages (organization_id, execution_id, position, message_id, message, bytes)
      SELECT organization_id, id, n, 'message-' || n, json_build_object('role', 'user', 'content', prompt), 200
      FROM executions, generate_series(1, 4) n WHERE ${expired}`,
    `INSERT INTO user_sessions (organization_id, id, user_id, session_id, name, turns, created_at, updated_at, last_activity_at)
      SELECT organization_id, id, user_id, session_id, session_id, 1, created_at, updated_at, updated_at
      FROM executions WHERE session_id IS NOT NULL`,
    `INSERT INTO traces (organization_id, trace_id, id, day, name, service_name, named_by_root, named_by_start_ns,
      named_by_span_id, execution_id, status, start_ns, end_ns, duration_ms, span_count, error_count, open_count,
      root_count, root_error_count, bytes, revision, created_at, updated_at)
      SELECT organization_id, substr(traceparent, 4, 32), 'trace-' || id, created_at::date, 'execute_job', 'worker', true,
        ns, substr(traceparent, 37, 16), id, 'success', ns, ns + 1000000000, 1000, 1, 0, 0, 1, 0, 500, 1, created_at, created_at
      FROM executions, LATERAL (SELECT (extract(epoch FROM created_at) * 1000000000)::bigint AS ns) started
      WHERE substr(traceparent, 4, 1) IN ('0', '1')`,
    `INSERT INTO execution_facts (organization_id, sign, status, execution_type, entity_id, job_id, worker_queue_id,
      model, created_at, started_at, completed_at, wait_ms, run_ms, input_tokens, output_tokens, total_tokens, cost_nanos)
      SELECT organization_id, 1, status, execution_type, entity_id, job_id, worker_queue_id, model, created_at, started_at,
        completed_at, 1000, 1000, input_tokens, output_tokens, total_tokens, cost_nanos
      FROM executions WHERE organization_id = '${organizationId}' AND status IN ${FINAL}`,
  ];
}

/** Deliveries of a webhook, one for a hundred executions of all organizations. */
export function deliveries({ executions }: Size, webhookId: string): string {
  return `INSERT INTO webhook_deliveries (id, organization_id, webhook_id, event_id, event_type, body, status, attempts,
      response_status, response_ms, created_at)
    SELECT 'delivery-' || n, organization_id, id, 'event-' || n, 'execution.completed', repeat('b', 200), 'delivered', 1, 200, 20,
      now() - n * interval '1 second'
    FROM webhooks, generate_series(1, ${executions / 100}) n WHERE id = '${webhookId}'`;
}
