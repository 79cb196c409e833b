import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { CodeChanges } from '../../ui/code-changes';
import { FailurePanel } from '../../ui/failure-panel';
import { SelectField } from '../../ui/select-field';
import { Skeleton } from '../../ui/skeleton';
import { versionQuery } from './policies.queries';
import type { VersionPair } from './policies.search';

interface VersionComparisonProps {
  readonly policyId: string;
  readonly pair: VersionPair;
  /** Versions to choose from. */
  readonly versions: readonly number[];
  /** Null: no comparison. */
  readonly onChange: (pair: VersionPair | null) => void;
}

/** What differs between the sources of two versions. */
export function VersionComparison({ policyId, pair, versions, onChange }: VersionComparisonProps) {
  // Those of the address may be older than what the list has loaded.
  const offered = [...new Set([...versions, pair.from, pair.to])].toSorted((one, other) => other - one);
  const options = offered.map((version) => ({ value: String(version), label: `version ${version}` }));
  return (
    <>
      <div className="flex flex-wrap items-end gap-2">
        <SelectField
          label="Compare"
          options={options}
          value={pair.from}
          onChange={({ target }) => onChange({ ...pair, from: Number(target.value) })}
        />
        <SelectField
          label="with"
          options={options}
          value={pair.to}
          onChange={({ target }) => onChange({ ...pair, to: Number(target.value) })}
        />
        <Button onClick={() => onChange(null)}>Close the comparison</Button>
      </div>
      <Changes key={`${pair.from}..${pair.to}`} policyId={policyId} {...pair} />
    </>
  );
}

function Changes({ policyId, from, to }: VersionPair & { readonly policyId: string }) {
  const session = useSession();
  const before = useQuery(versionQuery(session, policyId, from));
  const after = useQuery(versionQuery(session, policyId, to));
  const error = before.error ?? after.error;
  if (error !== null) return <FailurePanel error={error} />;
  if (before.data === undefined || after.data === undefined) return <Skeleton rows={6} label="Loading the sources" />;
  return (
    <CodeChanges
      label={`Changes from version ${from} to version ${to}`}
      language="rego"
      before={before.data.policy_content}
      after={after.data.policy_content}
    />
  );
}
