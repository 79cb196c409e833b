import { lazy, Suspense, useEffect, useState } from 'react';
import { Button } from '../ui/button';

const Palette = lazy(async () => ({ default: (await import('./palette')).Palette }));

/** Opens the palette, as Ctrl K and ⌘ K do. It is loaded when it is opened first. */
export function PaletteButton() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen((before) => !before);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        Find<span className="hidden md:inline">(Ctrl K)</span>
      </Button>
      {isOpen && (
        <Suspense>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
