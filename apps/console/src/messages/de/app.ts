import type { Texts } from '../texts.ts'

/** Texts that are shown where no script of the console runs: by the system, of the installed app, without JavaScript, and if it fails. */
export const app: Texts['app'] = {
  description:
    'Dateien nach ihrem Inhalt speichern, verschlüsseln und teilen, in einem Netzwerk, das alle betreiben können.',
  needsScripts: 'Die Konsole von Cairn braucht JavaScript. Kommandozeile und SDK können alles, was sie kann.',
  notStarted:
    'Die Konsole ließ sich nicht laden. Die Verbindung prüfen und die Seite neu laden, oder den Browser aktualisieren.',
  reload: 'Neu laden',
}
