import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, nearestNumber, unwrap, type ControlPlaneClient } from '@app/api-client';
import type { Command } from 'commander';
import { connect } from '../connection.js';
import type { CommandContext } from '../context.js';
import { formatOption, withExamples } from '../options.js';
import { printRow, type Format } from '../output.js';
import {
  durationText,
  treeOf,
  usageLine,
  withErrorsOnly,
  type Outline,
  type OutlinedSpan,
  type TraceUsage,
} from '../trace-tree.js';

interface ShowOptions {
  readonly errors?: true;
  readonly follow?: true;
  readonly output: Format;
}

const TRACE_ID = /^[0-9a-f]{32}$/i;
const FOLLOW_INTERVAL_MS = 2000;
const NO_SPAN = 'The trace has no span yet.';

/** Adds the commands that only traces have. */
export function addTraceCommands(traces: Command, context: CommandContext): void {
  const show = traces
    .command('show <trace>')
    .description('Show the spans of a trace, or of the trace of an execution, as a tree with bars')
    .option('--errors', 'only failed spans and their ancestors')
    .option('--follow', 'first print each span when it ends, until the trace and its execution have ended')
    .addOption(formatOption())
    .action(async (id: string, { errors, follow, output }: ShowOptions) => {
      const { controlPlane } = connect(context);
      const found = await findTrace(controlPlane, id);
      const outline =
        follow === true ? await followed(controlPlane, found, context) : await outlineOf(controlPlane, found.traceId);
      if (output !== 'table') return printRow(context.terminal, { ...outline }, output);
      const shown = errors === true ? withErrorsOnly(outline) : outline;
      if (outline.spans.length === 0) return context.terminal.note(NO_SPAN);
      if (shown.spans.length === 0) return context.terminal.note('No span has failed.');
      context.terminal.print(treeOf(shown, (style, text) => context.terminal.style(style, text)));
      const usage = usageLine(outline);
      if (usage !== undefined) context.terminal.print(usage);
      if (outline.truncated)
        context.terminal.note(`Only ${outline.spans.length} of ${outline.span_count} spans are shown.`);
    });
  withExamples(
    show,
    'traces show 5b8efff798038103d269b633813fc60c',
    'traces show EXECUTION_ID --errors',
    'traces show EXECUTION_ID --follow',
  );
}

type TraceOutline = Outline & TraceUsage & { readonly span_count: number; readonly truncated: boolean };

async function outlineOf(controlPlane: ControlPlaneClient, trace_id: string): Promise<TraceOutline> {
  const params = { path: { trace_id } };
  return unwrap(controlPlane.GET('/api/v1/traces/{trace_id}/outline', { params }));
}

interface FoundTrace {
  readonly traceId: string;
  /** The execution that the caller named, whose trace begins when a worker has it. */
  readonly executionId?: string;
}

/** Finds a trace by its id, or by that of an execution. */
async function findTrace(controlPlane: ControlPlaneClient, id: string): Promise<FoundTrace> {
  if (TRACE_ID.test(id)) return { traceId: id };
  const { trace_id } = await executionOf(controlPlane, id);
  return { traceId: trace_id ?? id, executionId: id };
}

async function executionOf(
  controlPlane: ControlPlaneClient,
  execution_id: string,
): Promise<{ trace_id: string | null; completed_at: string | null }> {
  const params = { path: { execution_id } };
  return unwrap(controlPlane.GET('/api/v1/executions/{execution_id}', { params }));
}

/**
 * Prints each span that has ended, until none is open. An execution must also have ended, and one more read follows:
 * the platform stores its spans after the end.
 */
async function followed(
  controlPlane: ControlPlaneClient,
  { traceId, executionId }: FoundTrace,
  { terminal }: CommandContext,
): Promise<TraceOutline> {
  const printed = new Set<string>();
  let isLastRead = executionId === undefined;
  let isAwaited = false;
  for (;;) {
    const outline = await outlineOf(controlPlane, traceId).catch((error: unknown) => {
      const isAbsent = error instanceof ApiError && error.status === 404;
      if (!isAbsent || isLastRead) throw error;
      return undefined;
    });
    if (!isAwaited && (outline?.spans ?? []).length === 0) {
      terminal.note(NO_SPAN);
      isAwaited = true;
    }
    for (const span of outline?.spans ?? []) {
      if (span.duration_ns === null || printed.has(span.span_id)) continue;
      terminal.note(endedLine(span));
      printed.add(span.span_id);
    }
    if (isLastRead && outline !== undefined && outline.duration_ns !== null) return outline;
    if (executionId !== undefined) isLastRead = (await executionOf(controlPlane, executionId)).completed_at !== null;
    terminal.progress('The trace is running');
    await pause(FOLLOW_INTERVAL_MS);
  }
}

function endedLine({ name, duration_ns, status_code }: OutlinedSpan): string {
  return `${name}: ${durationText(nearestNumber(duration_ns ?? 0))}${status_code === 'ERROR' ? ', failed' : ''}`;
}
