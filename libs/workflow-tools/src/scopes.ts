/** A scope of the access tokens. `admin` includes the others. */
export type ToolScope = 'read' | 'write' | 'execute' | 'admin';

const TOOL_SCOPES: Readonly<Record<string, ToolScope>> = {
  list_workflows: 'read',
  get_workflow: 'read',
  create_workflow: 'write',
  execute_workflow: 'execute',
  get_execution: 'read',
  cancel_execution: 'execute',
  delete_workflow: 'admin',
};
/** The scope of every tool that runs one workflow. */
const EXECUTE_SCOPE: ToolScope = 'execute';

/** The methods that show workflows of the caller. */
const READING: ReadonlySet<string> = new Set([
  'resources/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
]);

/** Returns the scope that an MCP message requires; null if any valid token may send it. */
export function scopeOf(message: unknown): ToolScope | null {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
  if (method === 'tools/call') return scopeOfTool(String(params?.name));
  return READING.has(String(method)) ? 'read' : null;
}

function scopeOfTool(name: string): ToolScope {
  return Object.hasOwn(TOOL_SCOPES, name) ? (TOOL_SCOPES[name] ?? EXECUTE_SCOPE) : EXECUTE_SCOPE;
}
