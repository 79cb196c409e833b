/** Describes the `config` of jobs and starts. */
export const RUN_LIMITS =
  'Free-form configuration. `timeout_seconds`: longest time of an attempt (default: that of the agent or team, else 3600). ' +
  '`retry_policy`: `max_attempts` (1 to 100, default 3), `retry_on` (some of `failed`, `timeout` and `lost`, default ' +
  '`["lost"]`) and `backoff` with `type` (`fixed` or `exponential`, default `exponential`) and `delay_seconds` (0 to ' +
  '86400, default 5).';

/** Describes `multitask` of starts and teams. */
export const MULTITASK_MEANS =
  'What happens while another execution of the session has not ended. `enqueue`: this one waits for its end (default); ' +
  '`reject`: 409 `session_busy`; `parallel`: both run at the same time';
