import { EnvVar, flag } from '@app/config';

/** What the spans of a worker contain. */
export class WorkerTracingConfig {
  @EnvVar('TRACE_CONTENT', flag, {
    default: false,
    doc: 'Whether spans contain prompts, answers, and the arguments and results of tools: true or false.',
  })
  readonly hasContent!: boolean;
}
