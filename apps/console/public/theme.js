// Runs before the first paint, so that a chosen theme does not flash. The choice is not a secret.
(() => {
  const theme = localStorage.getItem('console.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
})();
