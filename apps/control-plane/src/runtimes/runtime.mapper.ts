import { DEFAULT_RUNTIME } from '@app/executions';
import { pageOf, type Page, type PageResult } from '@app/kernel';
import type { RuntimeResponse } from './dto/runtime.response.dto.js';

/** The runtime that every reference worker has. */
const BUILT_IN: RuntimeResponse = {
  id: DEFAULT_RUNTIME,
  name: 'Default',
  description: 'Tool-calling agent loop on an OpenAI-compatible model, with MCP servers as tools',
};

/**
 * Returns the ids of the built-in runtime and of those that live workers declare, each once, sorted by UTF-16 code
 * unit.
 */
export function knownRuntimes(offered: readonly string[]): readonly string[] {
  return [...new Set([DEFAULT_RUNTIME, ...offered])].sort();
}

export function toRuntimePage(offered: readonly string[], page: Page): PageResult<RuntimeResponse> {
  const runtimes = knownRuntimes(offered).map((id) =>
    id === DEFAULT_RUNTIME ? BUILT_IN : { id, name: id, description: 'Runtime of connected workers' },
  );
  return pageOf(runtimes, page, 'runtimes', ({ id }) => id);
}
