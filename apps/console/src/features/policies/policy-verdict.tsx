import { stringifyWithBigInts } from '@app/api-client';
import type { UseQueryResult } from '@tanstack/react-query';
import { CodeBlock } from '../../ui/code-block';
import { FailurePanel } from '../../ui/failure-panel';
import type { Validation } from './policies.queries';

/** What the platform says of a source while it is written. */
export function PolicyVerdict({ verdict }: { readonly verdict: UseQueryResult<Validation> }) {
  const { data, error, isPlaceholderData } = verdict;
  if (error !== null) return <FailurePanel error={error} />;
  if (data === undefined) return null;
  return (
    <output
      aria-busy={isPlaceholderData}
      className="flex flex-col gap-1 rounded-md border border-hairline bg-surface p-3 aria-busy:text-quiet"
    >
      <Verdict validation={data} />
    </output>
  );
}

function Verdict({ validation }: { readonly validation: Validation }) {
  const { valid, errors, warnings, result, output, duration_ms } = validation;
  return (
    <>
      <span className="font-semibold">
        {!valid ? 'It does not compile' : result === null ? 'It compiles' : result.allowed ? 'Allowed' : 'Denied'}
        {duration_ms !== null && ` in ${duration_ms} ms`}
      </span>
      {errors.map(({ line, column, message }) => (
        <span key={`${line}:${column}:${message}`} className="text-danger">
          Line {line}, column {column}: {message}
        </span>
      ))}
      {warnings.map((warning) => (
        <span key={warning} className="text-warning">
          {warning}
        </span>
      ))}
      {result?.violations.map((violation) => (
        <span key={violation}>{violation}</span>
      ))}
      {output !== null && (
        <details>
          <summary>What its rules say</summary>
          <CodeBlock label="Value of the package" text={stringifyWithBigInts(output, 2)} />
        </details>
      )}
    </>
  );
}
