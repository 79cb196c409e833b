import { ApiError } from '@app/api-client';
import { useState, type FormEvent } from 'react';
import { describeFailure } from '../api/failure';
import { Button } from '../ui/button';
import { textOf } from '../ui/form-data';
import { usePageTitle } from '../ui/page-title';
import { TextField } from '../ui/text-field';
import type { SessionStore } from './session-store';

/** Asks for a key. The address stays the same, so the page that was opened appears after the sign-in. */
export function SignInPage({ sessions, reason }: { readonly sessions: SessionStore; readonly reason: string | null }) {
  usePageTitle('Sign in');
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    setBusy(true);
    setError(null);
    try {
      await sessions.signIn(textOf(data, 'key'), data.get('keep') === 'on');
    } catch (failure) {
      setBusy(false);
      setError(messageOf(failure));
    }
  };
  return (
    <main className="mx-auto flex max-w-[420px] flex-col gap-4 px-4 pt-16">
      <h1 className="text-xl font-semibold">Sign in</h1>
      {reason !== null && <output>{reason}</output>}
      <form
        onSubmit={(event) => void submit(event)}
        className="flex flex-col gap-3 rounded-md border border-hairline bg-surface p-4"
      >
        <TextField
          name="key"
          label="API key"
          type="password"
          required
          fault={error ?? undefined}
          className="font-mono"
          help={
            <>
              The key that <code className="font-mono">npm start</code> printed, or one that an administrator created
              for you.
            </>
          }
        />
        <label className="flex items-center gap-2">
          <input name="keep" type="checkbox" defaultChecked className="size-4" />
          <span>Keep me signed in until this tab closes</span>
        </label>
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Sign in
        </Button>
      </form>
      <ConnectionNote />
    </main>
  );
}

function ConnectionNote() {
  if (window.isSecureContext) return null;
  return (
    <p className="text-sm text-warning">This connection is not encrypted: others in the network can read the key.</p>
  );
}

function messageOf(failure: unknown): string {
  if (failure instanceof ApiError && failure.status === 401) {
    return failure.code === 'key_expired' ? 'This key has expired.' : 'This key is not valid: unknown or revoked.';
  }
  return describeFailure(failure).detail;
}
