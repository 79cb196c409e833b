import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../session/session-context';
import { healthQuery } from './overview.queries';

/** Whether the platform itself works. While it does, it says so in one line. */
export function PlatformHealth() {
  const { data, error } = useQuery(healthQuery(useSession()));
  if (error !== null) {
    return (
      <p role="alert" className="text-danger">
        The health of the platform cannot be read.
      </p>
    );
  }
  if (data === undefined) return null;
  if (data.status === 'healthy') return <p className="text-quiet">The API and the event bus work.</p>;
  const failed = Object.entries(data.providers).flatMap(([name, { status }]) => (status === 'unhealthy' ? [name] : []));
  return (
    <p role="alert" className="text-danger">
      The event bus is {data.status}. What does not work: {failed.join(', ')}
    </p>
  );
}
