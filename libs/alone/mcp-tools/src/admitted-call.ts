import { ProtocolError, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server';
import { CallFault, type CallOutcome } from './call-fault.js';
import type { CallWatch } from './call-watch.js';
import type { CallIdentity, IdentityOf } from './identity.js';

/** Who may call, how often at once, and where calls are recorded. */
export interface CallRules {
  readonly identityOf: IdentityOf;
  readonly watch: CallWatch;
}

/** A call whose caller is not known yet. */
export interface ReceivedCall {
  /** The name of the tool, or the method of another request. */
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
  /** Records that the run of the call was cancelled, because its client cancelled the call or left. */
  readonly noteCancelled: () => void;
}

/** Runs a call of a tool as its caller. Every call ends with the result or an error text, and with one record. */
export async function runAdmitted<Result extends object>(
  rules: CallRules,
  call: ReceivedCall,
  run: (call: AdmittedCall) => Promise<Result>,
): Promise<Result | CallToolResult> {
  try {
    return await runRecorded(rules, call, run);
  } catch (error) {
    return { content: [{ type: 'text', text: (error as Error).message }], isError: true };
  }
}

/**
 * Runs a call as its caller, within their limit, with one record. Rejects with a CallFault or a ProtocolError: the package
 * shows the message of any other error to the client.
 */
export async function runRecorded<Result extends object>(
  { identityOf, watch }: CallRules,
  { tool, apiKey, context }: ReceivedCall,
  run: (call: AdmittedCall) => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  let [identity, executionId]: [CallIdentity | null, string | null] = [null, null];
  let outcome: CallOutcome = 'refused';
  let isCancelled = false;
  let leave = (): void => undefined;
  try {
    identity = identityOf(apiKey, context.http?.authInfo);
    leave = watch.admit(identity);
    const result = await run({
      identity,
      noteExecution: (id) => (executionId = id),
      noteCancelled: () => (isCancelled = true),
    });
    outcome = isCancelled ? 'cancelled' : outcomeOf(result);
    return result;
  } catch (error) {
    const shown = toShownError(error);
    outcome = shown instanceof CallFault ? shown.outcome : 'refused';
    if (outcome === 'failed') watch.report({ error, tool, executionId });
    throw shown;
  } finally {
    leave();
    const durationMs = Math.round(performance.now() - startedAt);
    watch.record({ tool, identity, executionId, outcome, durationMs });
  }
}

function outcomeOf(result: object): CallOutcome {
  return 'isError' in result && result.isError === true ? 'failed' : 'succeeded';
}

function toShownError(error: unknown): CallFault | ProtocolError {
  if (error instanceof CallFault || error instanceof ProtocolError) return error;
  return new CallFault('The call failed because of an internal error.', { cause: error, outcome: 'failed' });
}
