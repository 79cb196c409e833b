import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Page } from './page';

const root = document.getElementById('root');
if (root === null) throw new Error('No element with the id root');
createRoot(root).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
