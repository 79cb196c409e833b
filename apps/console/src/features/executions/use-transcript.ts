import { StreamRefused, type AnyEvent } from '@app/api-client';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useSession } from '../../session/session-context';
import { useVisibility } from '../../ui/visibility';
import { appendEvents, EMPTY_TRANSCRIPT, type Transcript } from './transcript';

export interface LiveTranscript {
  readonly transcript: Transcript;
  /** `opening`: nothing has arrived yet, not even the first event, which servers send at once. */
  readonly connection: 'opening' | 'live' | 'ended' | 'refused';
}

const START: LiveTranscript = { transcript: EMPTY_TRANSCRIPT, connection: 'opening' };
/** A tab that nobody sees for so long needs no connection; it goes on where it was when it is seen again. */
const HIDDEN_MS = 5000;

/**
 * Follows the events of an execution. Those of one frame of the screen are added together. `onStatus` is called when the
 * stream says that the status has changed.
 */
export function useTranscript(executionId: string, onStatus: () => void): LiveTranscript {
  const session = useSession();
  const [live, setLive] = useState(START);
  const place = useRef<{ readonly lastEventId?: string }>({});
  const isVisible = useVisibility(HIDDEN_MS);
  const isFollowing = isVisible && (live.connection === 'opening' || live.connection === 'live');
  const notify = useEffectEvent(onStatus);
  useEffect(() => {
    if (!isFollowing) return undefined;
    const stop = new AbortController();
    const buffer: AnyEvent[] = [];
    let frame = 0;
    const flush = (): void => {
      frame = 0;
      const events = buffer.splice(0);
      const last = events.findLast(({ id }) => id !== undefined)?.id;
      if (last !== undefined) place.current = { lastEventId: last };
      setLive(({ transcript, connection }) => ({
        transcript: appendEvents(transcript, events),
        connection: connection === 'opening' && events.length > 0 ? 'live' : connection,
      }));
      if (events.some(({ event }) => event === 'status' || event === 'done')) notify();
    };
    const follow = async (stream: AsyncIterable<AnyEvent>): Promise<void> => {
      for await (const event of stream) {
        buffer.push(event);
        frame ||= requestAnimationFrame(flush);
      }
    };
    const end = (connection: LiveTranscript['connection']): void => {
      if (stop.signal.aborted) return;
      flush();
      setLive((before) => ({ ...before, connection }));
    };
    follow(session.events(executionId, { signal: stop.signal, ...place.current })).then(
      () => end('ended'),
      (error: unknown) => end(error instanceof StreamRefused ? 'refused' : 'ended'),
    );
    return () => {
      stop.abort();
      cancelAnimationFrame(frame);
    };
  }, [session, executionId, isFollowing]);
  return live;
}
