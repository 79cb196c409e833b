export { discoverProviders } from './discover-providers.js';
