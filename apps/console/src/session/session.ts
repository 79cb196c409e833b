import {
  createControlPlaneClient,
  createPlatformApiClient,
  type ControlPlaneClient,
  type ControlPlaneComponents,
  streamEvents,
  StreamRefused,
  type PlatformApiClient,
  type StreamedEvent,
} from '@app/api-client';

export type SessionFacts = ControlPlaneComponents['schemas']['ClientSessionResponse'];
export type KeyScope = SessionFacts['scopes'][number];

/** A person who is signed in: what the key may do, and the clients that use it. The key itself is not readable. */
export interface Session {
  readonly facts: SessionFacts;
  readonly controlPlane: ControlPlaneClient;
  /** Reaches the routes for keys and users only, through the control plane. */
  readonly platform: PlatformApiClient;
  readonly can: (scope: KeyScope) => boolean;
  /** Yields the events of an execution until it has ended or the signal aborts, also across broken connections. */
  readonly events: (executionId: string, from: StreamPlace) => AsyncGenerator<StreamedEvent, void>;
}

export interface StreamPlace {
  readonly signal: AbortSignal;
  /** Events of the log up to it are left out; stored messages come again. */
  readonly lastEventId?: string;
}

export type SessionClients = Pick<Session, 'controlPlane' | 'platform' | 'events'>;

/** Calls `onRefused` when an API no longer accepts the key. */
export function clientsFor(apiKey: string, onRefused: () => void): SessionClients {
  const { origin } = window.location;
  const controlPlane = createControlPlaneClient({ baseUrl: origin, apiKey, exactNumbers: true });
  const platform = createPlatformApiClient({
    baseUrl: `${origin}/console/platform`,
    apiKey,
    exactNumbers: true,
  });
  const watch = {
    onResponse: ({ response }: { response: Response }) => {
      if (response.status === 401) onRefused();
    },
  };
  controlPlane.use(watch);
  // The forwarder is a route of the control plane, which accepts this scheme.
  platform.use(watch, { onRequest: ({ request }) => request.headers.set('Authorization', `Bearer ${apiKey}`) });
  async function* events(executionId: string, from: StreamPlace): AsyncGenerator<StreamedEvent, void> {
    try {
      yield* streamEvents(executionId, {
        baseUrl: origin,
        authorization: `Bearer ${apiKey}`,
        exactNumbers: true,
        ...from,
      });
    } catch (error) {
      if (error instanceof StreamRefused && error.status === 401) onRefused();
      throw error;
    }
  }
  return { controlPlane, platform, events };
}

export function sessionOf(clients: SessionClients, facts: SessionFacts): Session {
  return { ...clients, facts, can: (scope) => facts.scopes.includes('admin') || facts.scopes.includes(scope) };
}
