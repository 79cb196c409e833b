import { Link, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../ui/button';
import { PAGE_GROUPS } from './page-groups';

/** The pages, by what they are for. Where the window is narrow, they are behind a button. */
export function Navigation() {
  const { pathname } = useLocation();
  // The pages close when one of them is opened.
  const [openAt, setOpenAt] = useState<string | null>(null);
  const isOpen = openAt === pathname;
  return (
    <div className="border-b border-hairline bg-surface p-2 md:w-48 md:border-r md:border-b-0">
      <Button
        className="md:hidden"
        aria-expanded={isOpen}
        aria-controls="pages"
        onClick={() => setOpenAt(isOpen ? null : pathname)}
      >
        Pages
      </Button>
      <nav id="pages" aria-label="Pages" className={`flex-col gap-3 md:flex ${isOpen ? 'flex' : 'hidden'}`}>
        {PAGE_GROUPS.map(({ name, pages }) => (
          <div key={name} className="flex flex-col">
            <span className="px-2 text-xs text-quiet">{name}</span>
            {pages.map((page) => (
              <Link
                key={page.to}
                to={page.to}
                // Every address begins with that of the overview.
                activeOptions={{ exact: page.to === '/', includeSearch: false }}
                className="rounded-sm px-2 py-1 text-accent aria-[current=page]:bg-sunken"
              >
                {page.name}
              </Link>
            ))}
          </div>
        ))}
      </nav>
    </div>
  );
}
