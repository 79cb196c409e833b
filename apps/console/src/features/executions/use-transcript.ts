import { StreamRefused, type StreamedEvent } from '@app/api-client';
import { useEffect, useEffectEvent, useState } from 'react';
import { useSession } from '../../session/session-context';
import { appendEvents, EMPTY_TRANSCRIPT, type Transcript } from './transcript';

export interface LiveTranscript {
  readonly transcript: Transcript;
  readonly connection: 'live' | 'ended' | 'refused';
}

const START: LiveTranscript = { transcript: EMPTY_TRANSCRIPT, connection: 'live' };

/**
 * Follows the events of an execution. Those of one frame of the screen are added together. `onStatus` is called when the
 * stream says that the status has changed.
 */
export function useTranscript(executionId: string, onStatus: () => void): LiveTranscript {
  const session = useSession();
  const [live, setLive] = useState(START);
  const notify = useEffectEvent(onStatus);
  useEffect(() => {
    const stop = new AbortController();
    const buffer: StreamedEvent[] = [];
    let frame = 0;
    const flush = (): void => {
      frame = 0;
      const events = buffer.splice(0);
      setLive(({ transcript, connection }) => ({ transcript: appendEvents(transcript, events), connection }));
      if (events.some(({ event }) => event === 'status' || event === 'done')) notify();
    };
    const follow = async (stream: AsyncIterable<StreamedEvent>): Promise<void> => {
      for await (const event of stream) {
        buffer.push(event);
        frame ||= requestAnimationFrame(flush);
      }
    };
    const end = (connection: LiveTranscript['connection']): void => {
      if (!stop.signal.aborted) setLive((before) => ({ ...before, connection }));
    };
    follow(session.events(executionId, stop.signal)).then(
      () => end('ended'),
      (error: unknown) => end(error instanceof StreamRefused ? 'refused' : 'ended'),
    );
    return () => {
      stop.abort();
      cancelAnimationFrame(frame);
      setLive(START);
    };
  }, [session, executionId]);
  return live;
}
