import { firstNames } from '../first-names.ts'
import { formatBytes, formatCount } from '../format.ts'
import type { Texts } from '../texts.ts'
import { counted, plural } from './plural.ts'

const items = (count: number) => counted(count, { one: 'Element', other: 'Elemente' })
/** An item by its name if it is the only one, so that messages about several actions can be distinguished. */
const itemsOrName = (count: number, name: string) => (count === 1 && name !== '' ? name : items(count))
const files = (count: number) => counted(count, { one: 'Datei', other: 'Dateien' })

/** Folders, marks and trash over the files of an account. */
export const drive: Texts['drive'] = {
  places: 'Orte',
  place: {
    drive: 'Meine Dateien',
    starred: 'Mit Stern',
    duplicates: 'Duplikate',
    trash: 'Papierkorb',
    uploads: 'Alle Uploads',
  },
  path: 'Pfad',
  root: 'Meine Dateien',
  count: items,
  listing: (count) => `Dateien werden aufgelistet. Angezeigt sind die neuesten ${formatCount(count)}.`,
  placeListing:
    'Die Dateien werden noch aufgelistet, hier kann also noch mehr erscheinen. Das geht automatisch weiter.',
  folderListing:
    'Die Dateien werden noch aufgelistet, im Ordner sind vielleicht noch mehr. Das geht automatisch weiter.',
  newFolder: 'Neuer Ordner',
  newFolderHint: 'Ordnernamen sind verschlüsselt. Lesbar sind sie nur für dieses Konto.',
  newFolderLabel: 'Name des Ordners',
  create: 'Erstellen',
  nameSlash: 'Ein Name darf keinen Schrägstrich enthalten.',
  nameTaken: (name) => `${name} gibt es hier schon`,
  nameDots: 'Ein Name braucht mehr als einen oder zwei Punkte.',
  renameTitle: 'Umbenennen',
  renameHint: 'Der neue Name ist verschlüsselt. Inhalt und CID bleiben gleich.',
  move: 'Verschieben',
  moveTitle: (count, name) => `${itemsOrName(count, name)} verschieben`,
  moveHint: 'Nur der Ort ändert sich. Links und CIDs bleiben gültig.',
  moveHere: 'Hierher verschieben',
  moveInto: (name) => `Nach ${name} verschieben`,
  moveIntoNew: 'Anlegen und verschieben',
  moveNewLabel: (place) => `Name des neuen Ordners in „${place}“`,
  moveFilter: 'Ordner suchen',
  moveNone: 'Kein Ordner hat diesen Namen.',
  moveStored: 'Als Ganzes hochgeladener Ordner',
  moveStoredHint:
    'Ein als Ganzes hochgeladener Ordner behält seine CID und seine Dateien, deshalb lässt sich nichts hineinverschieben. Stattdessen einen neuen Ordner anlegen.',
  moveRefused: (name) =>
    `In „${name}“ lässt sich nichts verschieben: Der Ordner wurde als Ganzes hochgeladen und behält seine CID und seine Dateien. Hier einen neuen Ordner anlegen oder einen anderen auswählen.`,
  moveRefusedHere: 'Als Ganzes hochgeladen, Hineinverschieben nicht möglich',
  moved: (count, name, place) => `${itemsOrName(count, name)} nach ${place} verschoben`,
  isCut: 'Ausgeschnitten',
  star: 'Mit Stern markieren',
  unstar: 'Stern entfernen',
  starred: 'Mit Stern',
  labels: 'Tags und Farbe',
  labelsTitle: (count, name) => (count === 1 ? `Tags und Farbe von ${name}` : `Tags und Farbe (${items(count)})`),
  labelsHint: 'Tags und Farben sind verschlüsselt. Sichtbar sind sie nur für dieses Konto.',
  tagsLabel: 'Tags',
  tagAdd: 'Tag hinzufügen',
  tagAddButton: 'Hinzufügen',
  tagRemove: (tag) => `Tag ${tag} entfernen`,
  colour: 'Farbe',
  colours: {
    none: 'Keine',
    blue: 'Blau',
    green: 'Grün',
    orange: 'Orange',
    pink: 'Rosa',
    purple: 'Violett',
    red: 'Rot',
  },
  done: 'Fertig',
  trash: 'In den Papierkorb',
  trashed: (count, name) => `${itemsOrName(count, name)} in den Papierkorb gelegt`,
  undo: 'Rückgängig',
  trashHint:
    'Elemente bleiben hier, bis sie gelöscht werden. Sie belegen weiter Speicherplatz und lassen sich über Freigaben und Links öffnen. Nach 30 Tagen sind sie zum Löschen bereit.',
  trashEmpty: 'Der Papierkorb ist leer',
  trashEmptyHint: 'Gelöschtes erscheint hier. Es lässt sich wiederherstellen oder endgültig löschen.',
  trashedAgo: (ago) => `${ago.charAt(0).toUpperCase()}${ago.slice(1)} gelöscht`,
  trashDue: (left) =>
    left <= 0 ? 'Bereit zum endgültigen Löschen' : `noch ${counted(left, { one: 'Tag', other: 'Tage' })}`,
  trashFrom: (place) => `Aus ${place}`,
  restore: 'Wiederherstellen',
  restoreAll: 'Alle wiederherstellen',
  selectAll: (count) => (count === 1 ? 'Das Element auswählen' : `Alle ${items(count)} auswählen`),
  restored: (count, name) => `${itemsOrName(count, name)} wiederhergestellt`,
  deleteForGood: 'Endgültig löschen',
  deleteTitle: (count) => `${items(count)} endgültig löschen?`,
  deleteHint:
    'Entfernt alle Versionen aus dem Konto und gibt den Speicherplatz frei. Das lässt sich nicht rückgängig machen. Wer die CIDs hat, kann noch Kopien haben.',
  deleteFailed: 'Nicht alles wurde endgültig gelöscht',
  emptyTrash: 'Papierkorb leeren',
  emptyDue: (count) => `${items(count)} löschen (älter als 30 Tage)`,
  deleted: (count, uploads, kept) => {
    const deleted = `${items(count)} gelöscht, ${counted(uploads, { one: 'Upload', other: 'Uploads' })} aus dem Speicher entfernt`
    return kept === 0
      ? deleted
      : `${deleted}. ${items(kept)} ${plural(kept, { one: 'bleibt', other: 'bleiben' })}: Objekte in S3-Buckets haben denselben Inhalt.`
  },
  deletedNone: 'Nichts gelöscht: Ein anderes Gerät ist mit Wiederherstellen oder Löschen zuvorgekommen',
  deleteBucketsHint:
    'Objekte in S3-Buckets bleiben erhalten, ebenso Elemente mit demselben Inhalt. Die Objekte lassen sich mit einem S3-Client oder unter „Alle Uploads“ löschen.',
  versions: 'Versionen',
  versionsTitle: (name) => `Versionen von ${name}`,
  versionsHint:
    'Um eine Version hinzuzufügen, eine Datei mit demselben Namen in denselben Ordner hochladen. Jede Version hat ihren eigenen Zugriff: Freigaben und Links bleiben bei der alten Version und gelten nicht für die neue.',
  versionCurrent: 'Aktuell',
  versionUse: 'Als aktuelle festlegen',
  versionOpen: 'Öffnen',
  earlierVersion: (at) => `Frühere Version, vom ${at}`,
  openCurrent: 'Aktuelle Version öffnen',
  versionUsed: (name) => `${name} auf die frühere Version zurückgesetzt`,
  versionCount: (count) => counted(count, { one: 'Version', other: 'Versionen' }),
  duplicatesHint:
    'Uploads mit demselben Inhalt und Zugriff. Angezeigt wird jeder Inhalt einmal; die anderen belegen nur Speicherplatz. Objekte in S3-Buckets und Pins sind nicht dabei.',
  duplicatesNone: 'Keine Duplikate',
  duplicatesNoneHint:
    'Keine zwei Uploads haben denselben Inhalt und Zugriff. Objekte in S3-Buckets und Pins zählen nicht.',
  duplicatesOf: (name, count) =>
    `${name}, ${plural(count, { one: 'einmal', other: `${formatCount(count)}-mal` })} hochgeladen`,
  duplicatesRemove: 'Kopien entfernen',
  duplicatesRemoveAll: (size) => `Alle Kopien entfernen (${size})`,
  duplicatesTitle: (count) => `${counted(count, { one: 'Kopie', other: 'Kopien' })} entfernen?`,
  duplicatesWarning:
    'Entfernt die späteren Uploads desselben Inhalts. Die Datei, ihr Ort und ihre CID bleiben bestehen, ebenso Objekte in S3-Buckets und Pins.',
  copiesFailed: 'Nicht alle Kopien wurden entfernt',
  starredNone: 'Nichts mit Stern',
  starredNoneHint: 'Dateien und Ordner mit einem Stern markieren, um sie hier zu finden.',
  folderEmpty: 'Dieser Ordner ist leer',
  folderEmptyHint:
    'Dateien hier ablegen, hochladen oder hierher verschieben. Ein zweiter Upload mit demselben Namen wird zur neuen Version.',
  folderEmptyHintTouch:
    'Dateien hochladen oder hierher verschieben. Ein zweiter Upload mit demselben Namen wird zur neuen Version.',
  folderGone: 'Diesen Ordner gibt es nicht mehr',
  folderGoneHint: 'Er wurde in den Papierkorb verschoben oder gelöscht, vielleicht auf einem anderen Gerät.',
  itemGone: 'Dieses Element ist nicht mehr hier',
  itemGoneHint: 'Es wurde in den Papierkorb verschoben oder gelöscht, vielleicht auf einem anderen Gerät.',
  placedInRoot: (count) =>
    `${files(count)} ${plural(count, { one: 'liegt', other: 'liegen' })} unter „Meine Dateien“, weil es den Ordner nicht mehr gibt`,
  goToRoot: 'Zu „Meine Dateien“',
  inFolder: (path) => `In ${path}`,
  locked: 'Die Ordner sind verschlüsselt. Eine Signatur entsperrt sie; bis dahin sind alle Uploads aufgelistet.',
  unlock: 'Ordner entsperren',
  failed: 'Die Ordner ließen sich nicht öffnen, deshalb sind alle Uploads aufgelistet.',
  wrong:
    'Der Dienst hat Ordner geliefert, die beschädigt sind oder zu einem anderen Konto gehören. Den Betreiber fragen.',
  older:
    'Der Dienst hat einen älteren Stand der Ordner geliefert, als dieser Browser schon gesehen hat. Nur fortfahren, wenn das Netzwerk zurückgesetzt wurde oder sein Betreiber vertrauenswürdig ist.',
  useOlder: 'Älteren Stand verwenden',
  lost: 'Der Schlüssel der Ordner ist verloren, deshalb sind alle Uploads aufgelistet.',
  lostStart: 'Neue Ordner anlegen',
  lostTitle: 'Neue Ordner anlegen?',
  lostHint:
    'Ordner, ihre Namen, Sterne, Tags, Bezeichnungen, Kontakte und der Papierkorb sind mit dem Schlüssel verloren. Alle Dateien bleiben erhalten: Sie stehen unter „Meine Dateien“, mit den Namen, unter denen sie hochgeladen wurden. Der alte Index wird vorher auf diesem Gerät gespeichert und bleibt verschlüsselt.',
  lostFile: 'cairn-ordner.json',
  lostFailed: 'Neue Ordner wurden nicht angelegt',
  changeFailed: 'Die Änderung wurde nicht gespeichert',
  download: 'Herunterladen',
  zipName: 'Cairn-Dateien',
  zipTitle: (count) => (count === 0 ? 'Als ZIP herunterladen' : `${files(count)} als ZIP herunterladen`),
  zipItemsTitle: (count) => `${items(count)} als ZIP herunterladen`,
  zipHint: 'Jedes Byte wird in diesem Browser überprüft, verschlüsselte Dateien werden hier entschlüsselt.',
  zipChoose: 'Der Speicherort lässt sich auswählen.',
  zipNeedsSpace: 'Dieser Browser braucht dafür zuerst ebenso viel Platz in seinem eigenen Speicher.',
  zipSave: (bytes) => (bytes === 0 ? 'ZIP sichern' : `ZIP sichern, etwa ${formatBytes(bytes)}`),
  zipProgress: (count, bytes) => `${files(count)}, ${formatBytes(bytes)}`,
  zipDone: (count, bytes) =>
    count === 0 ? `Gesichert, ${formatBytes(bytes)}` : `${files(count)} gesichert, ${formatBytes(bytes)}`,
  zipLeftOut: (paths) =>
    plural(paths.length, {
      one: `${firstNames(paths)} fehlt im ZIP: Das ist ein symbolischer Link oder anderer Inhalt, der keine Datei ist.`,
      other: `${formatCount(paths.length)} Einträge fehlen im ZIP, weil sie symbolische Links oder anderer Inhalt sind, der keine Datei ist: ${firstNames(paths)}.`,
    }),
  zipFailed: 'Das ZIP wurde nicht gesichert',
  zipCancel: 'Download abbrechen',
  zipCancelled: 'Der Download wurde abgebrochen.',
  zipGoesOn:
    'Dieses Fenster kann geschlossen werden. Der Download läuft weiter, den Fortschritt zeigen die Übertragungen.',
  saved: (name) => `${name} gesichert`,
  notPlacedYet: (names) =>
    plural(names.length, {
      one: `${firstNames(names)} ist gespeichert und wird später in den Ordner verschoben`,
      other: `${files(names.length)} sind gespeichert und werden später in ihre Ordner verschoben`,
    }),
  notPlaced: (names) =>
    plural(names.length, {
      one: `${firstNames(names)} wurde nicht in den Ordner verschoben und bleibt unter „Meine Dateien“`,
      other: `${files(names.length)} wurden nicht in ihre Ordner verschoben und bleiben unter „Meine Dateien“: ${firstNames(names)}`,
    }),
  alreadyStored: (name, path) => `${name} ist bereits unter ${path} gespeichert`,
  shareTitle: (count, name) => `${count === 1 && name !== undefined ? name : items(count)} freigeben`,
  shareNone: 'Nur verschlüsselte Elemente lassen sich freigeben. Öffentliche können alle öffnen, die die CID haben.',
  moreActions: 'Weitere Aktionen',
}
