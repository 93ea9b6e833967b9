import type { Texts } from '../texts.ts'

/** The help for keyboard shortcuts. */
export const shortcuts: Texts['shortcuts'] = {
  title: 'Tastenkürzel',
  hint: 'Kürzel mit einem Buchstaben lassen sich in den Einstellungen ausschalten.',
  palette: 'Suche und Befehle',
  search: 'Suchen',
  help: 'Diese Hilfe anzeigen',
  upload: 'Hochladen',
  goTo: (page) => `${page} öffnen`,
  move: 'In einer Liste bewegen',
  select: 'Zeile auswählen',
  open: 'Zeile öffnen',
  delete: 'Auswahl löschen',
  siblings: 'Vorherige oder nächste Datei',
  rename: 'Element umbenennen',
  cut: 'Auswahl ausschneiden',
  paste: 'Ausgeschnittenes hierher verschieben',
  undo: 'Verschieben oder Löschen rückgängig machen',
  up: 'Übergeordneten Ordner öffnen',
  clear: 'Auswahl aufheben',
  all: 'Alles auswählen',
  keys: { space: 'Leertaste', enter: 'Eingabe', delete: 'Entf', backspace: 'Rücktaste', escape: 'Esc' },
  or: 'oder',
  followedBy: 'dann',
}
