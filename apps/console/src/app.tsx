import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { router } from './router';
import { SessionProvider } from './session/session-context';
import type { SessionStore } from './session/session-store';
import { SignInPage } from './session/sign-in.page';

/** Shows the pages to a person who is signed in, and the sign-in page to all others. */
export function App({ sessions }: { readonly sessions: SessionStore }) {
  const state = useSyncExternalStore(sessions.subscribe, sessions.read);
  useEffect(() => void sessions.restore(), [sessions]);
  if (state.status === 'restoring') return null;
  if (state.status === 'signed-out') return <SignInPage sessions={sessions} reason={state.reason} />;
  return (
    <SessionProvider value={state.session}>
      <RouterProvider router={router} context={{ signOut: () => sessions.signOut() }} />
    </SessionProvider>
  );
}
