import { Facts } from '../../ui/facts';
import type { RunPreview as Preview } from './build.queries';

/** What a start would do. Nothing was started. */
export function RunPreview({ preview }: { readonly preview: Preview }) {
  const { prompt, queue, model, policies, missing_parameters: missing, problems } = preview;
  return (
    <output aria-label="Preview" className="flex flex-col gap-2 rounded-md border border-hairline p-3">
      <Facts
        facts={[
          { label: 'Prompt', value: prompt ?? 'none' },
          { label: 'Queue', value: queue === null ? 'none' : queueText(queue) },
          { label: 'Model', value: model === null ? 'none' : (model.label ?? model.value) },
          {
            label: 'Policies',
            value: verdictText(policies),
          },
        ]}
      />
      {missing.length > 0 && <p className="text-warning">Without a value: {missing.join(', ')}</p>}
      {problems.map((problem) => (
        <p key={problem} className="text-warning">
          {problem}
        </p>
      ))}
    </output>
  );
}

function queueText({ name, environment_name, workers_alive, waiting }: NonNullable<Preview['queue']>): string {
  const workers = workers_alive === 1 ? '1 live worker' : `${workers_alive} live workers`;
  return `${name} in ${environment_name}: ${workers}, ${waiting} waiting`;
}

function verdictText({ allowed, violations, policies_evaluated: count }: Preview['policies']): string {
  if (count === 0) return 'none applies, so it is allowed';
  const reasons = violations.length === 0 ? '' : `: ${violations.join('; ')}`;
  return `${allowed ? 'allowed' : 'denied'} (${count === 1 ? '1 policy' : `${count} policies`})${reasons}`;
}
