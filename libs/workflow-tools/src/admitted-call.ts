import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { CallFault } from './call-fault.js';
import type { CallOutcome, CallWatch } from './call-watch.js';
import type { CallIdentity, IdentityOf } from './identity.js';

/** Who may call, how often at once, and where calls are recorded. */
export interface CallRules {
  readonly identityOf: IdentityOf;
  readonly watch: CallWatch;
}

/** A call whose caller is not known yet. */
export interface ReceivedCall {
  readonly tool: string;
  /** The `api_key` argument. */
  readonly apiKey: string | undefined;
  readonly context: ServerContext;
}

/** A call of a known caller, within their limit. */
export interface AdmittedCall {
  readonly identity: CallIdentity;
  /** Names the execution of the call in its record. */
  readonly noteExecution: (id: string) => void;
}

/** Runs a call as its caller. Every call ends with the result or an error text, and with one record. */
export async function runAdmitted<Result extends object>(
  { identityOf, watch }: CallRules,
  { tool, apiKey, context }: ReceivedCall,
  run: (call: AdmittedCall) => Promise<Result>,
): Promise<Result | CallToolResult> {
  const startedAt = performance.now();
  let [identity, executionId]: [CallIdentity | null, string | null] = [null, null];
  let outcome: CallOutcome = 'refused';
  let leave = (): void => undefined;
  try {
    identity = identityOf(apiKey, context.http?.authInfo);
    leave = watch.admit(identity);
    const result = await run({ identity, noteExecution: (id) => (executionId = id) });
    outcome = 'isError' in result && result.isError === true ? 'failed' : 'succeeded';
    return result;
  } catch (error) {
    // The package shows the message of any other error to the client.
    const text = error instanceof CallFault ? error.message : 'The call failed because of an internal error.';
    return { content: [{ type: 'text', text }], isError: true };
  } finally {
    leave();
    if (context.mcpReq.signal.aborted) outcome = 'cancelled';
    const durationMs = Math.round(performance.now() - startedAt);
    watch.record({ tool, identity, executionId, outcome, durationMs });
  }
}
