/**
 * How a failure relates to the request. Each API maps a kind to its own status and body (see libs/foundation/http), so no domain
 * code knows HTTP.
 */
export type ErrorKind =
  /** What the request names does not exist for this caller. */
  | 'not_found'
  /** The request conflicts with the current state. */
  | 'conflict'
  /** What the request is about is no longer in the state that the request requires. */
  | 'outdated'
  /** A value of the request is wrong; the faults name it. */
  | 'invalid'
  /** The caller lacks a permission. */
  | 'forbidden'
  /** The caller is unknown. */
  | 'unauthenticated'
  /** The caller asks too often; the same request may succeed a second later. */
  | 'throttled'
  /** The platform cannot serve the request now, for example because a store cannot be reached. */
  | 'unavailable';

/** An entry of the catalogue, as listed in docs/guides/errors.md. */
export interface CataloguedError {
  /** What happened, in one sentence for the author of a client. */
  readonly meaning: string;
  /** Whether the same request may succeed later without any change by the client. */
  readonly retry: boolean;
}

/** Returns an error that is not retryable: the same request fails again until something else changes. */
const of = <Kind extends ErrorKind>(kind: Kind, meaning: string): CataloguedError & { readonly kind: Kind } => ({
  kind,
  meaning,
  retry: false,
});

const missing = (thing: string): CataloguedError & { readonly kind: 'not_found' } =>
  of('not_found', `${thing} does not exist in this organization.`);

/**
 * Every failure that domain code can report, by its code. Codes are stable, because clients depend on them. Code that uses
 * an unlisted code does not compile. libs/foundation/http lists the failures of requests themselves (`HTTP_ERRORS`).
 */
export const ERROR_CATALOGUE = {
  request_invalid: of('invalid', 'The request has faults; the body lists all of them.'),
  idempotency_key_reused: of(
    'invalid',
    'The `Idempotency-Key` was used with a different request: another method, URL (with its query) or body.',
  ),

  key_missing: of('unauthenticated', 'The request carries no API key.'),
  key_invalid: of('unauthenticated', 'The API key is unknown or revoked, or its user is suspended.'),
  key_expired: of('unauthenticated', 'The API key has expired, or the overlap after its rotation has ended.'),
  ticket_invalid: of(
    'unauthenticated',
    'The stream ticket is unknown, expired or for another execution, or its API key no longer works. Request a new ticket.',
  ),
  webhook_signature_invalid: of(
    'unauthenticated',
    'The signature is missing or wrong, the timestamp is out of tolerance, or the message id was accepted before.',
  ),
  plan_denied: of(
    'forbidden',
    'Policies deny what was chosen for the execution. The execution has failed; the text says why.',
  ),
  insufficient_scope: of('forbidden', 'The API key lacks a scope, which the text names.'),

  agent_not_found: missing('The agent'),
  api_key_not_found: missing('The API key'),
  environment_not_found: missing('The environment'),
  event_subscription_not_found: missing('The event subscription'),
  execution_not_found: missing('The execution'),
  execution_file_not_found: missing('The file of the execution'),
  job_not_found: missing('The job'),
  job_execution_not_found: missing('The execution of the job'),
  integration_not_found: missing('The integration'),
  knowledge_not_found: missing('The knowledge entry'),
  model_not_found: missing('The model'),
  organization_not_found: of('not_found', 'The organization does not exist.'),
  policy_not_found: missing('The policy'),
  policy_association_not_found: missing('The policy association'),
  policy_decision_not_found: missing('The policy decision'),
  policy_version_not_found: missing('The version of the policy'),
  project_member_not_found: of('not_found', 'The agent or team does not belong to the project.'),
  project_not_found: missing('The project'),
  runner_not_found: missing('The runner'),
  secret_not_found: missing('The secret'),
  session_message_not_found: of('not_found', 'The session has no message with this id.'),
  session_not_found: of('not_found', 'The session does not exist in this organization, or the execution has none yet.'),
  skill_association_not_found: of('not_found', 'The entity does not have this skill.'),
  skill_not_found: missing('The skill'),
  span_not_found: missing('The span'),
  task_not_found: missing('The task'),
  team_not_found: missing('The team'),
  trace_not_found: missing('The trace'),
  user_not_found: missing('The user'),
  webhook_delivery_not_found: missing('The delivery'),
  webhook_not_found: of('not_found', 'No job has a webhook with this token.'),
  workflow_not_found: missing('The workflow'),
  workflow_version_not_found: missing('The version of the workflow'),
  worker_not_found: missing('The worker'),
  worker_queue_not_found: missing('The worker queue'),

  changed_meanwhile: of(
    'outdated',
    'The resource has another `ETag` than those in `If-Match`: it was changed after the client read it. Nothing was written.',
  ),

  api_key_is_last_admin: of('conflict', 'The last working key with the scope `admin` cannot be revoked.'),
  environment_has_queues: of('conflict', 'An environment with worker queues cannot be deleted; the text names them.'),
  environment_is_default: of('conflict', 'The default environment can be neither deleted nor renamed.'),
  environment_name_taken: of('conflict', 'Another environment has this name.'),
  webhook_delivery_pending: of('conflict', 'The delivery has not ended, so it cannot be replayed.'),
  event_subscription_disabled: of(
    'conflict',
    'A disabled event subscription cannot be tested, and its deliveries cannot be replayed.',
  ),
  event_subscription_limit_reached: of('conflict', 'The organization has the maximum number of event subscriptions.'),
  session_busy: of('conflict', 'Another execution of the session has not ended; the message names it.'),
  execution_finished: of('conflict', 'The execution has ended and accepts neither messages nor a plan.'),
  execution_has_entity: of(
    'conflict',
    'What the execution runs was defined at its start, so its worker cannot choose it.',
  ),
  execution_id_taken: of('conflict', 'Another execution has this id.'),
  execution_messages_too_large: {
    kind: 'conflict',
    meaning:
      'Too many sent messages wait for the worker of the execution. The worker must store some before more are accepted.',
    retry: true,
  },
  execution_not_repeatable: of('conflict', 'The execution names no agent, team or workflow that could run again.'),
  execution_not_startable: of(
    'conflict',
    'What was chosen for the execution cannot run. The execution has failed; the text says why.',
  ),
  execution_planned: of('conflict', 'Something else was already chosen for the execution.'),
  execution_transition_refused: of(
    'conflict',
    'The execution cannot change from its current status to the requested one.',
  ),
  idempotent_request_running: {
    kind: 'conflict',
    meaning: 'Another request with this `Idempotency-Key` is still running.',
    retry: true,
  },
  integration_name_taken: of('conflict', 'Another integration has this name.'),
  job_disabled: of('conflict', 'A disabled job cannot be triggered.'),
  job_has_no_webhook: of('conflict', 'The job has no webhook and therefore no secret to rotate.'),
  lease_lost: of('conflict', 'The lease token is not the current token of the execution; nothing was written.'),
  model_not_stored: of(
    'conflict',
    'The model exists only at the model gateway. Create a model with its value in order to override it.',
  ),
  model_value_taken: of('conflict', 'Another model has this value.'),
  no_active_worker_queue: of('conflict', 'No worker queue that could run the request is active.'),
  no_allowed_worker_queue: of(
    'conflict',
    'Projects restrict the run to certain environments, and no worker queue in these environments can accept it.',
  ),
  no_worker_with_runtime: of(
    'conflict',
    'The run needs a runtime that none of the live workers of the worker queue declares.',
  ),
  organization_exists: of('conflict', 'Another organization has this name.'),
  policies_too_many: of('conflict', 'More policies apply than one decision may evaluate.'),
  policy_associated: of('conflict', 'The policy is already associated with this entity.'),
  policy_associations_too_many: of('conflict', 'The entity has the maximum number of policy associations.'),
  policy_decision_input_differs: of('conflict', 'The given input differs from the input of the decision.'),
  policy_decision_input_missing: of('conflict', 'The input of the decision was not stored; a replay must send it.'),
  policy_decision_unasked: of('conflict', 'The decision evaluated no policy, so it cannot be replayed.'),
  policy_in_use: of('conflict', 'Projects or contexts name the policy; the text names them.'),
  policy_version_gone: of('conflict', 'A policy version that the decision evaluated no longer exists.'),
  project_key_taken: of('conflict', 'Another project has this key.'),
  project_member_exists: of('conflict', 'The agent or team already belongs to the project.'),
  projects_too_many: of('conflict', 'The agent or team belongs to the maximum number of projects.'),
  user_email_taken: of('conflict', 'Another user has this e-mail address; case is ignored.'),
  user_has_history: of(
    'conflict',
    'A user who has used API keys cannot be deleted, only suspended; the text names the keys.',
  ),
  user_has_keys: of('conflict', 'A user with API keys cannot be deleted: revoke the keys first. The text names them.'),
  related_data_too_large: of(
    'conflict',
    'The data that belongs to the entity, such as the agents of a team, is too large to be read at once.',
  ),
  user_is_last_admin: of('conflict', 'The last user with a working admin key cannot be suspended.'),
  user_suspended: of('conflict', 'Keys cannot be created for a suspended user.'),
  skill_associated: of('conflict', 'The entity has this skill already.'),
  skill_associations_too_many: of('conflict', 'The entity has the maximum number of skills.'),
  skill_in_use: of('conflict', 'Agents, teams or environments have the skill; the text names them.'),
  agent_in_use: of('conflict', 'Enabled jobs or workflows name the agent; the text says which.'),
  environment_in_use: of(
    'conflict',
    'Agents, teams, projects or enabled jobs name the environment; the text says which.',
  ),
  team_in_use: of('conflict', 'Enabled jobs or workflows name the team; the text says which.'),
  worker_queue_in_use: of('conflict', 'Enabled jobs name the worker queue; the text says which.'),
  workflow_in_use: of('conflict', 'Enabled jobs name the workflow; the text says which.'),
  integration_in_use: of(
    'conflict',
    'The execution environments of other resources name the integration; the text lists these resources.',
  ),
  knowledge_in_use: of('conflict', 'Contexts or teams name the knowledge entry; the text says which.'),
  model_in_use: of('conflict', 'Agents, teams, projects or workflows name the model; the text says which.'),
  runner_has_workers: of('conflict', 'A runner with connected workers cannot be deleted.'),
  runner_name_taken: of('conflict', 'Another runner has this name.'),
  secret_in_use: of(
    'conflict',
    'A secret to which integrations or variables refer cannot be deleted; the text names where.',
  ),
  secret_name_taken: of('conflict', 'Another secret has this name.'),
  worker_disconnected: of('conflict', 'The worker has disconnected; it must start again to get a new id.'),
  worker_queue_ambiguous: of('conflict', 'Several environments have a worker queue of this name; the id is required.'),
  worker_queue_full: of('conflict', 'The worker queue has `max_workers` workers.'),
  worker_queue_has_work: of(
    'conflict',
    'A worker queue with executions that have not ended cannot be deleted; the text counts them.',
  ),
  worker_queue_has_workers: of(
    'conflict',
    'A worker queue with connected workers cannot be deleted; the text counts them.',
  ),
  worker_queue_name_taken: of('conflict', 'Another worker queue of the environment has this name.'),
  workflow_name_taken: of('conflict', 'Another workflow has this name.'),

  unknown_credentials_too_many: {
    kind: 'throttled',
    meaning:
      'Too many unknown API keys, stream tickets, webhook tokens, or calls of a webhook job without a valid signature came ' +
      'from this address.',
    retry: true,
  },
  streams_too_many: {
    kind: 'throttled',
    meaning: 'The organization has the maximum number of event streams to this process.',
    retry: true,
  },

  streams_busy: {
    kind: 'unavailable',
    meaning: 'The event streams of the organization, or of all, hold too many bytes that their clients have not read.',
    retry: true,
  },
  message_store_unavailable: {
    kind: 'unavailable',
    meaning: 'The store of queued messages (Redis) cannot be reached.',
    retry: true,
  },
  secrets_key_missing: of('unavailable', 'The platform has no key for secrets: its operator must set `SECRETS_KEY`.'),
  policy_evaluation_busy: {
    kind: 'unavailable',
    meaning: 'Too many evaluations of policies are waiting.',
    retry: true,
  },
} as const satisfies Record<string, CataloguedError & { readonly kind: ErrorKind }>;

export type DomainErrorCode = keyof typeof ERROR_CATALOGUE;

/** The codes of one kind. */
export type CodeOf<Kind extends ErrorKind> = {
  [Code in DomainErrorCode]: (typeof ERROR_CATALOGUE)[Code]['kind'] extends Kind ? Code : never;
}[DomainErrorCode];
