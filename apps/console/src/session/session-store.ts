import { ApiError, unwrap } from '@app/api-client';
import { describeFailure } from '../api/failure';
import { clientsFor, sessionOf, type Session } from './session';
import { TabChannel } from './tab-channel';

const STORED_KEY = 'console.key';

export type SessionState =
  | { readonly status: 'restoring' }
  | { readonly status: 'signed-out'; readonly reason: string | null }
  | { readonly status: 'signed-in'; readonly session: Session };

/**
 * Holds the key of this tab. It is in memory, and in sessionStorage only if the person asks for it, so that it survives a
 * reload; it is never in a cookie, in localStorage or in an address.
 */
export class SessionStore {
  private state: SessionState = { status: 'restoring' };
  private key: string | null = null;
  private readonly listeners = new Set<() => void>();
  private readonly endListeners = new Set<() => void>();
  private readonly tabs = new TabChannel(
    () => this.key,
    () => this.forget('You signed out in another tab.'),
  );

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly read = (): SessionState => this.state;

  /** Calls the listener whenever a session ends. */
  onEnd(listener: () => void): void {
    this.endListeners.add(listener);
  }

  /** Continues the session of this tab or of another one. */
  async restore(): Promise<void> {
    const key = sessionStorage.getItem(STORED_KEY) ?? (await this.tabs.ask());
    if (key === null) return this.change({ status: 'signed-out', reason: null });
    try {
      await this.signIn(key, sessionStorage.getItem(STORED_KEY) !== null);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        this.forget('The key of the last session is not accepted any more.');
      } else {
        // The key stays stored: the server may be back at the next reload.
        this.change({ status: 'signed-out', reason: `${describeFailure(error).detail} Reload the page to try again.` });
      }
    }
  }

  /** Rejects with an ApiError if the key is not accepted, and with another error if the server cannot be reached. */
  async signIn(key: string, isKept: boolean): Promise<void> {
    const clients = clientsFor(key, () => {
      if (this.key === key) this.forget('The key was revoked or has expired.');
    });
    const facts = await unwrap(clients.controlPlane.GET('/api/v1/client/session'));
    this.key = key;
    if (isKept) sessionStorage.setItem(STORED_KEY, key);
    this.change({ status: 'signed-in', session: sessionOf(clients, facts) });
  }

  /** Ends the session in all tabs. */
  signOut(): void {
    this.tabs.end();
    this.forget(null);
  }

  private forget(reason: string | null): void {
    this.key = null;
    sessionStorage.removeItem(STORED_KEY);
    for (const listener of this.endListeners) listener();
    this.change({ status: 'signed-out', reason });
  }

  private change(state: SessionState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}
