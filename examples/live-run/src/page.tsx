import { useState, type FormEvent } from 'react';
import { useRun, type RunRequest } from './use-run';

const INITIAL: RunRequest = {
  baseUrl: 'http://127.0.0.1:3000',
  apiKey: '',
  agent: 'greeter',
  prompt: 'Write a greeting for Ada.',
};
const LABELS = { baseUrl: 'Control plane', apiKey: 'API key', agent: 'Agent', prompt: 'Prompt' } as const;

/**
 * The key stays in the memory of this page: a public page must not ask for a key, but should get a stream ticket from
 * its server.
 */
export function Page() {
  const [request, setRequest] = useState(INITIAL);
  const [run, start] = useRun();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    start(request);
  };
  return (
    <main>
      <h1>Live run</h1>
      <form onSubmit={submit}>
        {(Object.keys(LABELS) as (keyof RunRequest)[]).map((field) => (
          <label key={field}>
            {LABELS[field]}
            <input
              name={field}
              required
              type={field === 'apiKey' ? 'password' : 'text'}
              value={request[field]}
              onChange={({ target }) => setRequest({ ...request, [field]: target.value })}
            />
          </label>
        ))}
        <button type="submit">Run</button>
      </form>
      <p>
        Status: <output id="status">{run.status}</output>
      </p>
      {run.error === null ? null : <p role="alert">{run.error}</p>}
      <pre id="text">{run.text}</pre>
      <details>
        <summary>{run.events.length} events</summary>
        <ol id="events">
          {run.events.map((event, index) => (
            <li key={index}>{event}</li>
          ))}
        </ol>
      </details>
    </main>
  );
}
