import { useEffect, useState } from 'react';
import { Button } from '../../ui/button';
import type { Transcript } from './transcript';

/** Keeps the end of the transcript in sight while it grows, until the reader scrolls up. */
export function FollowButton({ transcript }: { readonly transcript: Transcript }) {
  const [isFollowing, setFollowing] = useState(false);
  useEffect(() => {
    if (isFollowing && transcript.blocks.length > 0) window.scrollTo({ top: document.documentElement.scrollHeight });
  }, [isFollowing, transcript]);
  useEffect(() => {
    const onWheel = ({ deltaY }: WheelEvent): void => {
      if (deltaY < 0) setFollowing(false);
    };
    window.addEventListener('wheel', onWheel, { passive: true });
    return () => window.removeEventListener('wheel', onWheel);
  }, []);
  return (
    <Button
      aria-pressed={isFollowing}
      aria-keyshortcuts="f"
      className="aria-pressed:border-accent aria-pressed:bg-sunken"
      onClick={() => setFollowing(!isFollowing)}
    >
      Follow
    </Button>
  );
}
