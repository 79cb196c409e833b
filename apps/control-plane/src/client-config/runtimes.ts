import type { Listed, Page } from '@app/kernel';
import type { RuntimeResponse } from './dto/client-config.response.dto.js';

export const DEFAULT_RUNTIME = 'default';

/** What the reference worker can run. */
const RUNTIMES: readonly RuntimeResponse[] = [
  {
    id: DEFAULT_RUNTIME,
    name: 'Default',
    description: 'Tool-calling agent loop on an OpenAI-compatible model, with MCP servers as tools',
  },
];

export function listRuntimes({ skip, limit }: Page): Listed<RuntimeResponse> {
  return { items: RUNTIMES.slice(skip, skip + limit), total: RUNTIMES.length };
}
