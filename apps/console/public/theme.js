// Runs before the first paint, apart from the page so that its policy needs no inline script: theme and accent as chosen.
;(() => {
  const page = document.documentElement
  const known = { theme: ['light', 'dark'], accent: ['blue', 'green', 'orange', 'pink', 'purple', 'red'] }
  let chosen = {}
  try {
    chosen = JSON.parse(localStorage.getItem('cairn.settings') ?? '{}')
  } catch {
    // What cannot be read was not chosen.
    chosen = {}
  }
  const dark = matchMedia('(prefers-color-scheme: dark)').matches
  page.dataset.theme = known.theme.includes(chosen.theme) ? chosen.theme : dark ? 'dark' : 'light'
  page.dataset.accent = known.accent.includes(chosen.accent) ? chosen.accent : 'blue'
})()
