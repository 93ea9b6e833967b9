import { firstNames } from '../first-names.ts'
import { formatBytes, formatCount } from '../format.ts'
import type { Texts } from '../texts.ts'
import { counted, plural } from './plural.ts'

const files = (count: number) => counted(count, { one: 'Datei', other: 'Dateien' })

/** The upload sheet, and dropping files. */
export const upload: Texts['upload'] = {
  title: 'Hochladen',
  notStarted: 'Der Upload wurde nicht begonnen',
  dropHere: 'Zum Hochladen ablegen',
  dropInto: (place) => `Die Dateien kommen nach: ${place}`,
  place: 'Meine Dateien',
  into: (path) => `Nach ${path}`,
  chooseFiles: 'Dateien auswählen',
  chooseFolder: 'Ordner auswählen',
  orDrop: 'oder irgendwo ablegen oder einfügen.',
  emptyFoldersIfDropped: 'Leere Ordner sind nur dabei, wenn der Ordner abgelegt wird.',
  pastedImage: (at) => `Eingefügtes Bild ${at}`,
  tabFiles: 'Dateien',
  tabText: 'Text',
  kind: 'Was hochladen',
  textLabel: 'Text',
  textName: 'Name',
  textDefault: 'notiz.txt',
  access: 'Wer kann sie öffnen',
  public: 'Öffentlich',
  publicHint:
    'Alle mit der CID können sie lesen, solange es irgendwo eine Kopie gibt. Sie lässt sich später nicht privat machen.',
  private: 'Privat',
  privateHint:
    'Nicht verschlüsselt. Öffnen können sie nur dieses Konto und Personen mit einem signierten Link, und der Betreiber dieses Dienstes kann sie lesen.',
  encrypted: 'Verschlüsselt',
  encryptedHint:
    'Wird in diesem Browser verschlüsselt. Den Inhalt öffnen können nur dieses Konto und Personen mit einer Freigabe. Name und Größe sind für alle mit der CID sichtbar.',
  encryptedMissing: 'Dieses Netzwerk hat keine Schlüsselknoten, deshalb lassen sich Dateien hier nicht verschlüsseln.',
  folderAs: 'Ordner',
  folderOne: 'Als ein Ordner',
  folderSeparate: 'Als einzelne Dateien',
  folderOneEncrypted:
    'Der Ordner hat einen Dateischlüssel und wird als Ganzes freigegeben. Dateinamen bleiben privat. Die Anzahl der Dateien und ihre ungefähren Größen nicht.',
  folderSeparateEncrypted:
    'Jede Datei bekommt eine eigene CID und einen eigenen Dateischlüssel und lässt sich einzeln freigeben.',
  clash: (names) =>
    plural(names.length, {
      one: `${firstNames(names)} gibt es in diesem Ordner schon.`,
      other: `${formatCount(names.length)} dieser Namen gibt es in diesem Ordner schon: ${firstNames(names)}`,
    }),
  clashLabel: 'Namen, die es schon gibt',
  clashChoices: { version: 'Neue Version', both: 'Beide behalten', skip: 'Überspringen' },
  clashHints: {
    version: 'Der Upload wird zur neuesten Version. Frühere Versionen bleiben erhalten.',
    both: 'Der Upload bekommt eine Nummer, etwa Bericht (2).pdf.',
    skip: 'Uploads mit diesen Namen werden weggelassen.',
  },
  onlyEmptyFolders: 'Es gibt keine Dateien zum Hochladen, nur leere Ordner. Mit „Als ein Ordner“ bleiben sie erhalten.',
  emptyFoldersLeftOut: (count) =>
    `${counted(count, { one: 'leerer Ordner wird', other: 'leere Ordner werden' })} weggelassen. Mit „Als ein Ordner“ ${plural(count, { one: 'bleibt er', other: 'bleiben sie' })} erhalten.`,
  nameOf: (name) => `Name von ${name}`,
  remove: (name) => `${name} entfernen`,
  files,
  folderFiles: (count, size) => `${files(count)}, ${size}`,
  andMore: (count) => `und ${count} weitere`,
  total: 'Gesamt',
  left: (bytes) => `danach noch ${formatBytes(bytes)} frei`,
  missing: (bytes) => `${formatBytes(bytes)} mehr, als noch frei ist.`,
  add: (size, usd) => `${size} kaufen, ${usd}`,
  addHint: 'Einmal zahlen. Der Upload beginnt mit der Gutschrift, auch wenn dieses Fenster geschlossen ist.',
  startsWhenPaid: 'Der Upload beginnt mit der Gutschrift. Dieses Fenster kann geschlossen werden.',
  startWhenPaid: 'Upload mit der Gutschrift beginnen',
  start: (count, access) => {
    const how = { encrypted: 'Verschlüsselt', private: 'Privat', public: 'Öffentlich' }[access]
    return count === 0 ? `${how} hochladen` : `${files(count)} ${how.toLowerCase()} hochladen`
  },
  tooMany: (limit) => `Das sind mehr als ${files(limit)}, leere Ordner mitgezählt. Weniger auf einmal auswählen.`,
  tooManyToKeep: (limit) =>
    `Wird diese Seite geschlossen, setzt die nächste nur die ersten ${formatCount(limit)} dieser Uploads fort.`,
  unreadable: (count) =>
    `${counted(count, { one: 'Element ließ', other: 'Elemente ließen' })} sich nicht lesen und ${plural(count, { one: 'wurde', other: 'wurden' })} übersprungen`,
}
