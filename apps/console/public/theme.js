// Runs before the first paint, in a separate file so that the policy of the page needs no inline script: applies the
// chosen theme and accent.
;(() => {
  const page = document.documentElement
  const known = { theme: ['light', 'dark'], accent: ['blue', 'green', 'orange', 'pink', 'purple', 'red'] }
  let chosen = {}
  try {
    chosen = JSON.parse(localStorage.getItem('cairn.settings') ?? '{}')
  } catch {
    // Unreadable settings count as unset.
    chosen = {}
  }
  const dark = matchMedia('(prefers-color-scheme: dark)').matches
  page.dataset.theme = known.theme.includes(chosen.theme) ? chosen.theme : dark ? 'dark' : 'light'
  page.dataset.accent = known.accent.includes(chosen.accent) ? chosen.accent : 'blue'
})()
