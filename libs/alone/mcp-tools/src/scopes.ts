/** A scope of the access tokens. `admin` includes the others. */
export type ToolScope = 'read' | 'write' | 'execute' | 'admin';

/** The start of the names of tools that run one workflow. No other tool has it. */
export const RUN_PREFIX = 'run_';

const TOOL_SCOPES: Readonly<Record<string, readonly ToolScope[]>> = {
  list_workflows: ['read'],
  get_workflow: ['read'],
  create_workflow: ['write'],
  execute_workflow: ['execute'],
  get_execution: ['read'],
  cancel_execution: ['execute'],
  delete_workflow: ['admin'],
};
/** The names of the tools that are not for one workflow. */
export const FIXED_TOOLS: readonly string[] = Object.keys(TOOL_SCOPES);

/** The tools that run one workflow also show its name and parameters. */
const RUN_SCOPES: readonly ToolScope[] = ['read', 'execute'];
const UNKNOWN_TOOL: readonly ToolScope[] = ['execute'];

/** The methods that show workflows of the caller. */
const READING: ReadonlySet<string> = new Set([
  'resources/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
]);

/** Returns the scopes that an MCP message requires; none if any valid token may send it. */
export function scopesOf(message: unknown): readonly ToolScope[] {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
  if (method === 'tools/call') return scopesOfTool(String(params?.name));
  return READING.has(String(method)) ? ['read'] : [];
}

function scopesOfTool(name: string): readonly ToolScope[] {
  if (name.startsWith(RUN_PREFIX)) return RUN_SCOPES;
  return Object.hasOwn(TOOL_SCOPES, name) ? (TOOL_SCOPES[name] ?? UNKNOWN_TOOL) : UNKNOWN_TOOL;
}
