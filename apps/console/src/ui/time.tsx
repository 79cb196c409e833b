import { useNow } from './now';
import { relativeTime } from './relative-time';

/** Shows a time as its distance from now; the whole time is in the title. */
export function Time({ at, none }: { readonly at: string | null; readonly none: string }) {
  const now = useNow();
  if (at === null) return <span className="text-quiet">{none}</span>;
  const time = new Date(at);
  return (
    <time dateTime={at} title={time.toLocaleString()}>
      {relativeTime(time, now)}
    </time>
  );
}
