/** A JSON Schema. */
export type EventSchema = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, EventSchema>>;

export interface EventShape {
  readonly description: string;
  /**
   * Where the fields are in the data of a frame. `wrapped`: in `data`, beside `timestamp`. `flat`: at the top, with
   * `timestamp`. `frame`: at the top of a frame that the stream makes, which is not in the log.
   */
  readonly form: 'wrapped' | 'flat' | 'frame';
  /** Fields that are always present. */
  readonly required: Fields;
  readonly optional?: Fields;
}

const text = (description: string): EventSchema => ({ type: 'string', description });
const textOrNull = (description: string): EventSchema => ({ type: ['string', 'null'], description });
const integer = (description: string): EventSchema => ({ type: 'integer', description });
const flag = (description: string): EventSchema => ({ type: 'boolean', description });
const oneOf = (description: string, ...values: readonly string[]): EventSchema => ({
  type: 'string',
  enum: values,
  description,
});
const anything = (description: string): EventSchema => ({ description });
const object = (description: string): EventSchema => ({ type: 'object', additionalProperties: true, description });
const objectOrNull = (description: string): EventSchema => ({ ...object(description), type: ['object', 'null'] });
const objects = (description: string): EventSchema => ({
  type: 'array',
  items: { type: 'object', additionalProperties: true },
  description,
});

const EXECUTION_ID = { execution_id: text('Execution id') };
const MESSAGE_ID = text('Id of the message; its parts and its end have the same id');
/** Fields of events from a step of a workflow or from a member of a team. */
const ORIGIN = {
  step: text('Name of the step of the workflow'),
  member_id: text('Agent id of the member of the team'),
  member_name: textOrNull('Name of the member of the team'),
  source: oneOf('Who speaks', 'agent', 'member'),
};
const MEMBER = { member_id: ORIGIN.member_id, member_name: text('Name of the member'), source: ORIGIN.source };
const CHUNK = {
  role: text('Role of the author: assistant'),
  content: text('Next part of the text'),
  message_id: MESSAGE_ID,
};
const CHUNK_MARKS = { is_chunk: flag('Always true'), phase: text('Always response') };
const MESSAGE = { role: text('Role of the author: user, assistant or tool'), content: text('Text') };
const CALL = {
  tool_name: text('Name of the tool'),
  tool_execution_id: text('Id of the call, the same at its start and its end'),
  message_id: textOrNull('Id of the message with the call; null for a call by a step'),
  tool_arguments: anything('Arguments of the call'),
};
const OUTCOME = {
  status: oneOf('Outcome of the call', 'success', 'failed'),
  tool_output: anything('Output; null if the call failed'),
  tool_error: textOrNull('Why the call failed'),
};
const STEP = { step: ORIGIN.step, step_type: text('Type of the step') };
const THOUGHT = { ...ORIGIN, step: anything('Number of the thought, or name of the step of the workflow') };

/**
 * The events that the platform publishes and streams, with the fields of their data. The guide, the documents and the
 * types of the client are generated from this table. Other publishers may add fields, and use other types.
 */
export const EVENT_SHAPES = {
  run_started: {
    description: 'A worker has started an attempt',
    form: 'wrapped',
    required: {
      agent_id: textOrNull('Id of the agent or team; null for a workflow'),
      agent_name: textOrNull('Its name'),
      runtime: text('Runtime id'),
      model: textOrNull('Value of the model'),
      attempt: integer('Number of the attempt, from 1'),
      worker_id: text('Worker id'),
    },
  },
  message: {
    description: 'A whole message, also each stored one at the begin of a stream',
    form: 'flat',
    required: MESSAGE,
    optional: {
      message_id: MESSAGE_ID,
      timestamp: text('Time of the message'),
      input_required: flag('Whether the execution waits for the answer'),
      partial: flag('Whether the message was interrupted'),
      tool_calls: objects('Calls of tools, in stored messages'),
      user_id: text('Id of the user who sent the message'),
      user_name: textOrNull('Name of this user'),
      user_avatar: textOrNull('Avatar of this user'),
      ...ORIGIN,
    },
  },
  message_chunk: {
    description: 'A part of a message',
    form: 'wrapped',
    required: CHUNK,
    optional: { ...CHUNK_MARKS, ...ORIGIN },
  },
  member_message_chunk: {
    description: 'A part of a message of a member of a team',
    form: 'wrapped',
    required: { ...CHUNK, ...MEMBER },
    optional: { ...CHUNK_MARKS, step: ORIGIN.step },
  },
  member_message_complete: {
    description: 'A whole message of a member of a team',
    form: 'wrapped',
    required: { ...MESSAGE, ...MEMBER },
    optional: { message_id: MESSAGE_ID, step: ORIGIN.step },
  },
  tool_started: { description: 'A call of a tool begins', form: 'wrapped', required: CALL, optional: ORIGIN },
  tool_completed: {
    description: 'A call of a tool has ended',
    form: 'wrapped',
    required: { ...CALL, ...OUTCOME },
    optional: ORIGIN,
  },
  member_tool_started: {
    description: 'A member of a team calls a tool',
    form: 'wrapped',
    required: { ...CALL, ...MEMBER },
    optional: { step: ORIGIN.step },
  },
  member_tool_completed: {
    description: 'A call by a member of a team has ended',
    form: 'wrapped',
    required: { ...CALL, ...OUTCOME, ...MEMBER },
    optional: { step: ORIGIN.step },
  },
  thinking_start: {
    description: 'A thought begins',
    form: 'wrapped',
    required: { message_id: MESSAGE_ID },
    optional: THOUGHT,
  },
  thinking_delta: {
    description: 'A part of a thought',
    form: 'wrapped',
    required: { message_id: MESSAGE_ID, content: text('Next part of the text') },
    optional: THOUGHT,
  },
  thinking_complete: {
    description: 'A thought has ended',
    form: 'wrapped',
    required: { message_id: MESSAGE_ID },
    optional: THOUGHT,
  },
  status: {
    description: 'The status of the execution has changed',
    form: 'flat',
    required: {
      ...EXECUTION_ID,
      status: text('New status'),
      previous_status: text('Status before'),
      timestamp: text('Time of the change'),
    },
    optional: {
      attempt: integer('Number of the next attempt, if it is retried'),
      retry_at: text('Time of the next attempt'),
    },
  },
  error: {
    description: 'An attempt has failed',
    form: 'flat',
    required: { message: text('Why'), timestamp: text('Time of the failure') },
    optional: { error: text('The same text'), ...ORIGIN },
  },
  done: {
    description: 'The execution has ended; the last event',
    form: 'flat',
    required: {
      ...EXECUTION_ID,
      status: text('Final status'),
      response: textOrNull('Response'),
      error_message: textOrNull('Why the execution failed'),
      usage: objectOrNull('What the execution used'),
      completed_at: textOrNull('Time of the end'),
      timestamp: text('Time of the event'),
    },
  },
  metadata: {
    description: 'A remark on the run',
    form: 'wrapped',
    required: {},
    optional: {
      plan: object('The agent or team that the model chose, and why'),
      model_request: object('Size, status and duration of a request to the model'),
      unavailable_skills: objects('Skills that the worker does not offer'),
      unavailable_mcp_servers: {
        type: 'array',
        items: { type: 'string' },
        description: 'MCP servers that are not used',
      },
      files_left_out: objects('Files that were not stored, and why'),
      ...ORIGIN,
    },
  },
  step_started: {
    description: 'An attempt of a step of a workflow begins',
    form: 'wrapped',
    required: { ...STEP, attempt: integer('Number of the attempt, from 1') },
  },
  step_failed: {
    description: 'An attempt of a step has failed, and another one follows',
    form: 'wrapped',
    required: { ...STEP, error: text('Why'), retry_in_ms: integer('Milliseconds until the next attempt') },
  },
  step_completed: {
    description: 'A step of a workflow has ended',
    form: 'wrapped',
    required: {
      ...STEP,
      attempt: integer('Number of the last attempt; 0 if it was skipped'),
      status: oneOf('Outcome of the step', 'completed', 'failed', 'skipped'),
      output: textOrNull('Output'),
      error: textOrNull('Why the step failed'),
    },
  },
  connected: {
    description: 'The stream has begun',
    form: 'frame',
    required: {
      ...EXECUTION_ID,
      organization_id: text('Organization id'),
      status: text('Status of the execution'),
      connected_at: text('Current time of the server'),
    },
    optional: { message: text('Why nothing happens yet') },
  },
  history_complete: {
    description: 'All stored messages were sent',
    form: 'frame',
    required: { ...EXECUTION_ID, message_count: integer('Number of stored messages') },
  },
  gap_detected: {
    description: 'Events after the last known one are missing',
    form: 'frame',
    required: {
      last_known_id: textOrNull('Last event id of the client'),
      reason: oneOf('Why', 'expired', 'unknown_event_id'),
    },
  },
} as const satisfies Readonly<Record<string, EventShape>>;

/** Returns the JSON Schema of the data of each frame, by event type. */
export function eventSchemas(): Readonly<Record<string, EventSchema>> {
  return Object.fromEntries(Object.entries<EventShape>(EVENT_SHAPES).map(([type, shape]) => [type, schemaOf(shape)]));
}

function schemaOf({ description, form, required, optional = {} }: EventShape): EventSchema {
  const fields = {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: true,
  };
  if (form !== 'wrapped') return { description, ...fields };
  const properties = { data: { ...fields, description: 'What was published' }, timestamp: text('Time of the event') };
  return { description, type: 'object', properties, required: ['data', 'timestamp'], additionalProperties: true };
}
