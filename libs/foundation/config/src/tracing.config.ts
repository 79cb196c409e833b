import { EnvVar, type Parser } from './env-var.js';
import { address, flag } from './parsers.js';

/** `name=value` pairs separated by commas, with percent-encoded values, as in the W3C header `baggage`. */
const headerPairs: Parser<Readonly<Record<string, string>>> = (value) => {
  const pairs = value.split(',').map((pair) => pair.trim());
  return Object.fromEntries(
    pairs
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [, name, text] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(.*)$/.exec(pair) ?? [];
        if (name === undefined || text === undefined) throw new Error('expected name=value pairs, separated by commas');
        return [name, decoded(text)];
      }),
  );
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('expected percent-encoded values');
  }
}

/** Whether and where the spans of the platform are recorded. */
export class TracingConfig {
  @EnvVar('TRACE_EXECUTIONS', flag, {
    default: true,
    doc: 'Whether the control plane, the platform API and workers record the spans of executions: true or false.',
  })
  readonly isEnabled!: boolean;

  @EnvVar('OTEL_EXPORTER_OTLP_ENDPOINT', address(['http', 'https']), {
    default: null,
    doc: 'Base URL of a receiver of OTLP over HTTP, to which the spans of the platform are also sent. Default: none.',
  })
  readonly endpoint!: string | null;

  @EnvVar('OTEL_EXPORTER_OTLP_HEADERS', headerPairs, {
    default: null,
    doc: 'Headers of the requests to that receiver: name=value pairs separated by commas, values percent-encoded.',
  })
  readonly headers!: Readonly<Record<string, string>> | null;
}
