import { useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button';
import { areKeysOn } from './key-switch';
import { commandOf, type Command, type Pending } from './map';
import { actOnPage, isTaken, listPage, neighbourPage, rememberList } from './page-keys';

const KeyList = lazy(async () => ({ default: (await import('./key-list')).KeyList }));

/** Follows the keys of the page, and shows all of them on request. */
export function Keyboard() {
  const router = useRouter();
  const [isOpen, setOpen] = useState(false);
  const pending = useRef<Pending | null>(null);
  useEffect(() => {
    const act = (command: Command, key: string): boolean => {
      if (command.kind === 'help') setOpen(true);
      else if (command.kind === 'page') void router.navigate({ to: command.to });
      else if (command.kind === 'neighbour') void neighbourPage(command.step).then(open);
      else if (command.kind === 'back') return open(listPage());
      else return actOnPage(command, key);
      return true;
    };
    const open = (address: string | undefined): boolean => {
      if (address !== undefined) router.history.push(address);
      return address !== undefined;
    };
    const onKey = (event: KeyboardEvent): void => {
      if (isTaken(event) || !areKeysOn()) return;
      // Shift, pressed for the second of two keys, is no key of its own.
      if (event.key.length > 1 && event.key !== 'Escape') return;
      const next = commandOf(pending.current, event.key, event.timeStamp);
      pending.current = next.pending;
      if (next.command !== null && act(next.command, event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('click', rememberList, true);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('click', rememberList, true);
    };
  }, [router]);
  return (
    <>
      {/* Phones have no keys. */}
      <span className="hidden md:inline">
        <Button kind="plain" aria-keyshortcuts="?" onClick={() => setOpen(true)}>
          Keys
        </Button>
      </span>
      {isOpen && (
        <Suspense>
          <KeyList onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
