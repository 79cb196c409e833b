/** Descriptions of the tags, in the order of the document. */
export const tags: Readonly<Record<string, string>> = {
  auth: 'API keys, and the user and organization that a key acts for',
  users: 'Users of the organization, for whom API keys act',
  agents: 'Agents that can run tasks',
  tasks: 'Tasks: prompts, each of which one agent runs',
  executions: 'Runs of agents, teams and workflows: status and events',
  workflows: 'Definitions of workflows and starts of their runs',
  health: 'Health of this process',
};

/** Descriptions of path parameters, by name. */
export const parameters: Readonly<Record<string, string>> = {
  id: 'Id of the task, execution or user; id or name of the workflow',
  key_id: 'API key id',
};

/**
 * Descriptions of fields with the same meaning in every schema. A field with another meaning has its own description.
 */
export const glossary: Readonly<Record<string, string>> = {
  agent_id: 'Agent id',
  completed_at: 'Time at which the run ended; null before its end',
  created_at: 'Creation time',
  description: 'Description, as free text; null without one',
  entity_id: 'Id of the agent, team or workflow that runs',
  entity_name: 'Name of the agent, team or workflow that runs',
  errorCode: 'Machine-readable error code',
  error_message: 'Error message; null without an error',
  execution_id: 'Execution id',
  id: 'Unique id (UUIDv7)',
  joined_at: 'Time at which the user joined the execution',
  key_id: 'API key id',
  keys: 'API keys of the organization, newest first',
  last_active_at: 'Time of the last activity',
  last_message_at: 'Time of the last message; null without one',
  last_message_preview: 'Beginning of the last message; null without one',
  model_id: 'Id or value of a model; null for the default model',
  organization_id: 'Id of the organization that owns the resource',
  participants: 'Users who take part in the execution',
  prompt: 'Prompt of the execution',
  response: 'Final response of the run; null before it ends',
  scopes: 'Scopes granted to the key; `admin` grants all',
  started_at: 'Time at which the run started; null before its start',
  system_prompt: 'System prompt of the model; null for none',
  updated_at: 'Time of the last change',
  usage: 'Resource usage as reported by the worker, for example tokens, requests, tool calls and milliseconds',
  user_avatar: 'URL of the user’s picture; null without one',
  user_email: 'E-mail address of the user; null without one',
  user_id: 'User id',
  user_name: 'Name of the user; null without one',
};
