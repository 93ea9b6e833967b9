import type { Texts } from '../texts.ts'

/** Texts that are shown where no script of the console runs: by the system, of the installed app, and without JavaScript. */
export const app: Texts['app'] = {
  description:
    'Dateien nach ihrem Inhalt speichern, verschlüsseln und teilen, in einem Netzwerk, das alle betreiben können.',
  needsScripts: 'Die Konsole von Cairn braucht JavaScript. Kommandozeile und SDK können alles, was sie kann.',
}
