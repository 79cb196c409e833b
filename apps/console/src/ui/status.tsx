/** The shape of each status, in a square of 12, so that none is told by its color alone. */
const SHAPES: Readonly<Record<string, string>> = {
  pending: 'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1Zm0 1.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7Z',
  running: 'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1Zm0 1.5v7a3.5 3.5 0 0 0 0-7Z',
  waiting_for_input: 'M1 1h10v7H6l-3 3V8H1V1Z',
  paused: 'M2 1h3v10H2V1Zm5 0h3v10H7V1Z',
  completed: 'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1Zm2.6 3L5.2 7.4 3.5 5.7l-.9.9L5.2 9.2l4.3-4.3L8.6 4Z',
  failed:
    'M4 1h4l3 3v4l-3 3H4L1 8V4l3-3Zm0 2.8L6.2 6 4 8.2l.8.8L6.9 6.8 9 9l.8-.8L7.6 6l2.2-2.2L9 3 6.9 5.2 4.8 3l-.8.8Z',
  cancelled:
    'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1ZM3.4 4.3a3.2 3.2 0 0 0 4.3 4.3L3.4 4.3Zm.9-.9 4.3 4.3a3.2 3.2 0 0 0-4.3-4.3Z',
  terminated: 'M1 1h10v10H1V1Z',
};

const COLORS: Readonly<Record<string, string>> = {
  pending: 'text-quiet',
  running: 'text-accent',
  waiting_for_input: 'text-waiting',
  paused: 'text-warning',
  completed: 'text-success',
  failed: 'text-danger',
  cancelled: 'text-quiet',
  terminated: 'text-terminated',
};

export function Status({ of }: { readonly of: string }) {
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap ${COLORS[of] ?? 'text-quiet'}`}>
      <svg viewBox="0 0 12 12" className="size-3 shrink-0" aria-hidden="true">
        <path fill="currentColor" fillRule="evenodd" d={SHAPES[of] ?? SHAPES['pending']} />
      </svg>
      {of.replaceAll('_', ' ')}
    </span>
  );
}
