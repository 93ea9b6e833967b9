// Runs before the first paint, in a separate file so that the policy of the page needs no inline script: applies the
// chosen theme, accent and language, and says if the console does not start.
;(() => {
  const page = document.documentElement
  const known = { theme: ['light', 'dark'], accent: ['blue', 'green', 'orange', 'pink', 'purple', 'red'] }
  let chosen = {}
  try {
    // Without storage, the name of the tab has them.
    const prefix = 'cairn.settings='
    const ofTab = window.name.startsWith(prefix) ? window.name.slice(prefix.length) : undefined
    chosen = JSON.parse(ofTab ?? localStorage.getItem('cairn.settings') ?? '{}')
  } catch {
    // Unreadable settings count as unset.
    chosen = {}
  }
  const dark = matchMedia('(prefers-color-scheme: dark)').matches
  page.dataset.theme = known.theme.includes(chosen.theme) ? chosen.theme : dark ? 'dark' : 'light'
  page.dataset.accent = known.accent.includes(chosen.accent) ? chosen.accent : 'blue'

  // The build names the languages of the console in the page. `de-CH` is served with `de` (RFC 4647, lookup).
  const languages = JSON.parse(page.dataset.languages)
  const wanted = [chosen.language, ...navigator.languages].flatMap((tag) => {
    const parts = String(tag).split('-')
    return parts.map((_, i) => parts.slice(0, parts.length - i).join('-'))
  })
  const language = wanted.find((tag) => Object.hasOwn(languages, tag)) ?? 'en'
  const { dir, script, manifest, notStarted, reload } = languages[language]
  page.lang = language
  page.dir = dir
  if (manifest !== undefined) document.querySelector('link[rel=manifest]').href = manifest

  // A script did not load, or this browser is too old for it. Once the console draws the page, its mark is gone.
  const onFailure = ({ target }) => {
    if (target !== window && target?.localName !== 'script') return
    if (document.readyState === 'loading') addEventListener('DOMContentLoaded', show)
    else show()
  }
  const show = () => {
    const text = document.createElement('p')
    text.textContent = notStarted
    const button = document.createElement('button')
    button.textContent = reload
    button.className = 'underline'
    button.onclick = () => location.reload()
    const box = document.createElement('div')
    box.setAttribute('role', 'alert')
    box.className = 'flex min-h-dvh flex-col items-center justify-center gap-4 p-6 text-center'
    box.append(text, button)
    document.querySelector('[data-mark]')?.replaceWith(box)
  }
  addEventListener('error', onFailure, true)
  addEventListener('unhandledrejection', onFailure)

  if (script === undefined) return
  // Its texts are loaded beside the console, which waits for them.
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.crossOrigin = ''
  link.href = script
  document.head.append(link)
})()
