import { Link } from '@tanstack/react-router';
import { usePageTitle } from '../ui/page-title';

export function NotFound() {
  usePageTitle('Not found');
  return (
    <div className="flex flex-col gap-3">
      <h1 className="text-xl font-semibold">There is no page at this address</h1>
      <p>
        <Link to="/" className="text-accent underline">
          To the first page
        </Link>
      </p>
    </div>
  );
}
