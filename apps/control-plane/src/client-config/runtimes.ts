import type { RuntimeResponse } from './dto/client-config.response.dto.js';

export const DEFAULT_RUNTIME = 'default';

/** What the reference worker can run. */
export const RUNTIMES: readonly RuntimeResponse[] = [
  {
    id: DEFAULT_RUNTIME,
    name: 'Default',
    description: 'Tool-calling agent loop on an OpenAI-compatible model, with MCP servers as tools',
  },
];
