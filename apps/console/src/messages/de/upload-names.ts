import type { Texts } from '../texts.ts'

/** Errors in the names of an upload. Loaded with the page: files are checked as soon as they are chosen or dropped. */
export const uploadNames: Texts['uploadNames'] = {
  duplicate: (name) => `Doppelter Dateiname: ${name}`,
  duplicateHint: 'Eine der Dateien umbenennen.',
  nameEmpty: 'Ein Name braucht mindestens ein Zeichen.',
  nameSlash: 'Ein Ordnername darf keinen Schrägstrich enthalten.',
}
