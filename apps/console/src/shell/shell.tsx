import { Link, Outlet, useRouteContext } from '@tanstack/react-router';
import { useSession } from '../session/session-context';
import { Button } from '../ui/button';
import { ThemeButton } from './theme-button';

const PAGE_LINK = 'rounded-sm px-2 py-1 text-accent aria-[current=page]:bg-sunken';

/** Every address begins with that of the overview. */
const EXACT = { exact: true, includeSearch: false };

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
        <span className="font-semibold">Agent platform</span>
        <nav aria-label="Pages" className="flex gap-3">
          <Link to="/" activeOptions={EXACT} className={PAGE_LINK}>
            Overview
          </Link>
          <Link to="/executions" className={PAGE_LINK}>
            Executions
          </Link>
          <Link to="/agents" className={PAGE_LINK}>
            Agents
          </Link>
          <Link to="/keys" className={PAGE_LINK}>
            API keys
          </Link>
        </nav>
        <div className="ml-auto flex flex-wrap items-center gap-3">
          <span className="text-sm text-quiet">
            {facts.organization_name} · key <span className="text-text">{facts.key_name}</span>
          </span>
          <ThemeButton />
          <Button onClick={signOut}>Sign out</Button>
        </div>
      </header>
      <main id="content" className="mx-auto w-full max-w-[1280px] flex-1 p-4">
        <Outlet />
      </main>
    </div>
  );
}
