import { Outlet, useRouteContext } from '@tanstack/react-router';
import { Keyboard } from '../keyboard/keyboard';
import { useSession } from '../session/session-context';
import { Button } from '../ui/button';
import { Navigation } from './navigation';
import { PaletteButton } from './palette-button';
import { ThemeButton } from './theme-button';

/** What all pages have around them. */
export function Shell() {
  const { facts } = useSession();
  const { signOut } = useRouteContext({ from: '__root__' });
  return (
    <div className="flex min-h-screen flex-col">
      <a href="#content" className="sr-only focus:not-sr-only">
        Skip to the content
      </a>
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-hairline bg-surface px-4 py-2">
        <span className="hidden font-semibold sm:inline">Agent platform</span>
        <div className="ml-auto flex flex-wrap items-center gap-3">
          <span className="hidden text-sm text-quiet md:inline">
            {facts.organization_name} · key <span className="text-text">{facts.key_name}</span>
          </span>
          <PaletteButton />
          <Keyboard />
          <ThemeButton />
          <Button onClick={signOut}>Sign out</Button>
        </div>
      </header>
      <div className="flex flex-1 flex-col md:flex-row">
        <Navigation />
        <main id="content" className="mx-auto w-full max-w-[1280px] min-w-0 flex-1 p-4">
          <Outlet />
        </main>
      </div>
    </div>
  );
}
