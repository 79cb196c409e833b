import type { JsonObject } from '@app/kernel';

/** The effect of a type of skill on a run. Other types are stored as well, for workers that support them. */
export interface SkillDefinition {
  readonly type: string;
  readonly name: string;
  readonly description: string;
  readonly icon: string;
  /** JSON Schema of the skill's `configuration`. It is not enforced: a configuration is stored as sent. */
  readonly configuration_schema: JsonObject;
}

export const MCP_SKILL_TYPE = 'mcp';
/** The type of a skill without a tool: its instructions are added to the system prompt. */
export const DEFAULT_SKILL_TYPE = 'custom';

const TEXT = { type: 'string' };
const TEXTS_BY_NAME = { type: 'object', additionalProperties: TEXT };
/** Returns the schema of the configuration of a built-in tool, which the worker receives unchanged. */
const ofTheWorker = (properties: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  additionalProperties: true,
});

export const SKILL_DEFINITIONS: readonly SkillDefinition[] = [
  {
    type: 'file_system',
    name: 'File system',
    description: 'Reads, writes and lists files in the workspace of the run, if the worker offers it',
    icon: 'folder',
    configuration_schema: ofTheWorker({
      read_only: { type: 'boolean', description: 'Whether files can only be read and listed' },
    }),
  },
  {
    type: 'shell',
    name: 'Shell',
    description: 'Runs commands on the worker, if the worker offers it',
    icon: 'terminal',
    configuration_schema: ofTheWorker(),
  },
  {
    type: 'docker',
    name: 'Docker',
    description: 'Runs containers on the worker, if the worker offers it',
    icon: 'container',
    configuration_schema: ofTheWorker({
      images: { type: 'array', items: TEXT, description: 'Images that can be used. Default: any' },
      network: { type: 'boolean', description: 'Whether containers have a network' },
    }),
  },
  {
    type: 'python',
    name: 'Python',
    description: 'Runs Python code on the worker, if the worker offers it',
    icon: 'code',
    configuration_schema: ofTheWorker(),
  },
  {
    type: 'file_generation',
    name: 'File generation',
    description: 'Creates files as results of the run, if the worker offers it',
    icon: 'file-plus',
    configuration_schema: ofTheWorker(),
  },
  {
    type: DEFAULT_SKILL_TYPE,
    name: 'Instructions',
    description: 'Adds its instructions to the system prompt',
    icon: 'book',
    configuration_schema: {
      type: 'object',
      properties: { instructions: { ...TEXT, description: 'Text that is added to the system prompt' } },
      required: ['instructions'],
      additionalProperties: true,
    },
  },
  {
    type: MCP_SKILL_TYPE,
    name: 'MCP server',
    description: 'Offers the tools of an MCP server; the name of the skill is the name of the server',
    icon: 'plug',
    configuration_schema: {
      type: 'object',
      properties: {
        url: { ...TEXT, format: 'uri', description: 'Address of a server over HTTP' },
        headers: { ...TEXTS_BY_NAME, description: 'Request headers; `${NAME}` is a variable of the run' },
        command: { ...TEXT, description: 'Program of a server over standard input and output' },
        args: { type: 'array', items: TEXT, description: 'Arguments of the program' },
        env: { ...TEXTS_BY_NAME, description: 'Environment variables of the program' },
      },
      oneOf: [{ required: ['url'] }, { required: ['command'] }],
      additionalProperties: true,
    },
  },
];
