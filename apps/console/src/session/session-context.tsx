import { createContext, useContext } from 'react';
import type { Session } from './session';

const SessionContext = createContext<Session | null>(null);

export const SessionProvider = SessionContext.Provider;

/** Returns the session of the person who is signed in. Only pages use it, which nobody else sees. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('This component is not inside a SessionProvider');
  return session;
}
