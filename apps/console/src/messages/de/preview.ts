import { formatBytes, formatCount } from '../format.ts'
import type { Texts } from '../texts.ts'
import { counted } from './plural.ts'

/** The page of a file: tabs, preview and decryption. */
export const preview: Texts['preview'] = {
  tabs: 'Bereiche der Datei',
  tab: { preview: 'Vorschau', details: 'Details', access: 'Zugriff', proofs: 'Nachweise', names: 'Namen' },
  noneTitle: 'Keine Vorschau für diese Datei',
  noneHint:
    'Die Konsole zeigt Text, PDF, Word-, Excel- und PowerPoint-Dateien (.docx, .xlsx, .pptx), OpenDocument-Texte, \u2011Tabellen und \u2011Präsentationen (.odt, .ods, .odp), EPUB-Bücher, Bilder, Audio und Video. Andere Dateien herunterladen und auf dem Gerät öffnen.',
  broken:
    'Der Browser kann diese Datei nicht anzeigen. Vielleicht ist sie beschädigt, oder ihr Typ passt nicht zu ihrem Namen.',
  pdfTools: 'Seiten und Zoom',
  pdfBack: 'Vorherige Seite',
  pdfNext: 'Nächste Seite',
  pdfPage: 'Seite',
  pdfOf: (count) => `von ${formatCount(count)}`,
  pdfSmaller: 'Verkleinern',
  pdfLarger: 'Vergrößern',
  pdfZoom: (factor) => `${Math.round(factor * 100)} %`,
  pdfPages: (name) => `Seiten von ${name}`,
  pdfWhere: (page, count) => `Seite ${formatCount(page)} von ${formatCount(count)}`,
  pdfNoText: 'Diese Seite hat keinen Text. Vielleicht ist sie ein gescanntes Bild.',
  pdfPassword: 'Passwort dieses PDFs',
  pdfPasswordHint: 'Das PDF wird in diesem Browser geöffnet. Das Passwort wird weder gesendet noch gespeichert.',
  pdfPasswordEmpty: 'Passwort eingeben.',
  pdfPasswordWrong: 'Falsches Passwort.',
  pdfPasswordOpen: 'PDF öffnen',
  pdfLarge: (bytes) => `Dieses PDF ist größer als ${formatBytes(bytes)}. Herunterladen, um es auf dem Gerät zu öffnen.`,
  pdfPageBroken: (page) => `Seite ${formatCount(page)} lässt sich nicht anzeigen.`,
  slide: (number) => `Folie ${formatCount(number)}`,
  sheets: 'Tabellenblätter',
  sheetsCut: (count) =>
    `Nur die ersten ${count} Tabellenblätter sind zu sehen. Die vollständige Datei gibt es als Download.`,
  officeNote: 'Nur Text, Tabellen und Bilder. Für das Layout die Datei herunterladen.',
  officeLarge: (bytes) =>
    `Diese Datei ist größer als ${formatBytes(bytes)}. Herunterladen, um sie auf dem Gerät zu öffnen.`,
  shownAs: 'Anzeige',
  formatted: 'Formatiert',
  asTable: 'Tabelle',
  source: 'Quelltext',
  tableOf: (name) => `Tabelle von ${name}`,
  tableSize: (rows, columns) =>
    `${counted(rows, { one: 'Zeile', other: 'Zeilen' })}, ${counted(columns, { one: 'Spalte', other: 'Spalten' })}`,
  tableCut: (rows) => `Nur die ersten ${rows} Zeilen sind zu sehen. Die vollständige Datei gibt es als Download.`,
  columnsCut: (columns) =>
    `Nur die ersten ${counted(columns, { one: 'Spalte ist', other: 'Spalten sind' })} zu sehen. Die vollständige Datei gibt es als Download.`,
  markdownPicture: (text) => (text === '' ? '[Bild]' : `[Bild: ${text}]`),
  markdownDone: 'Erledigt',
  markdownOpen: 'Offen',
  markdownTable: 'Tabelle',
  markdownCode: 'Quelltext',
  previous: 'Vorherige Datei',
  next: 'Nächste Datei',
  place: (at, count) => `Datei ${formatCount(at)} von ${formatCount(count)}`,
  fullScreen: 'Vollbild',
  leaveFullScreen: 'Vollbild verlassen',
  cut: 'Nur der Anfang ist zu sehen. Die vollständige Datei gibt es als Download.',
  guessedLetters:
    'Diese Datei ist nicht in Unicode gespeichert. Falls Buchstaben falsch aussehen, sie herunterladen und in einem Editor die Kodierung wählen.',
  emptyFile: '(leer)',
  notFoundTitle: 'Datei bei diesem Dienst nicht gefunden',
  notFoundHint: 'Die CID prüfen. Vielleicht ist die Datei anderswo gespeichert; das Gateway kann sie suchen.',
  lockedTitle: 'Diese Datei ist verschlüsselt',
  lockedHint: 'Dieser Browser entschlüsselt sie für den Eigentümer und alle, für die sie freigegeben ist.',
  lockedFolderTitle: 'Dieser Ordner ist verschlüsselt',
  lockedFolderHint:
    'Dieser Browser entschlüsselt seine Namen und Dateien für den Eigentümer und alle, für die er freigegeben ist.',
  openFolder: 'Ordner öffnen',
  noSuchNameTitle: 'Datei in diesem Ordner nicht gefunden',
  noSuchNameHint:
    'Vielleicht heißt die Datei anders oder gehört zu einer anderen Version des Ordners mit einer anderen CID.',
  signInHint: 'Mit der Wallet anmelden, für die der Zugriff freigegeben ist.',
  decrypt: 'Entschlüsseln und anzeigen',
  cancelDecrypt: 'Abbrechen',
  keys: 'Schlüsselteile werden von den Schlüsselknoten geholt',
  receiving: (bytes, total) => `Wird geladen und überprüft: ${formatBytes(bytes)} von ${formatBytes(total)}`,
  decrypting: 'Wird entschlüsselt',
  progress: 'Fortschritt der Entschlüsselung',
  largeHint: (bytes, hasFilePicker, canShow) => {
    const space = formatBytes(bytes)
    if (!hasFilePicker)
      return `${canShow ? 'Sichern oder Anzeigen' : 'Sichern'} braucht zuerst ${space} Platz in diesem Browser. Wenn der fehlt, hilft Chrome, Edge oder ein anderer Chromium-Browser: Er entschlüsselt direkt in eine Datei.`
    const saving = 'Beim Sichern wird die Datei direkt an den ausgewählten Speicherort entschlüsselt.'
    return canShow ? `${saving} Die Anzeige hier braucht ${space} Platz in diesem Browser.` : saving
  },
  saveDecrypted: 'Entschlüsselte Datei sichern',
  saved: 'Gesichert',
  saveFailed: 'Die Datei wurde nicht gesichert',
  publicNote: 'Öffentlich: Alle mit der CID können sie lesen.',
  privateNote:
    'Privat: Öffnen können sie nur dieses Konto und Personen mit einem signierten Link. Der Betreiber kann sie lesen.',
  encryptedNote: 'Verschlüsselt: Öffnen lässt sie sich nur durch die Personen, Links und Bedingungen unter „Zugriff“.',
  folderEmpty: 'Dieser Ordner ist leer',
  folderMore: 'Nur die ersten Namen sind zu sehen. Das Gateway listet alle auf.',
  folderList: 'Namen in diesem Ordner',
  folderPath: 'Pfad des Ordners',
  proofsTitle: 'Speicherorte mit Nachweis',
  proofsHint: 'Deals mit Speicheranbietern und ein Nachweis, den dieser Browser überprüfen kann.',
  proofsGo: 'Nachweise anzeigen',
  namesTitle: 'Dauerhaften Namen vergeben',
  namesHint:
    'Ein Name behält seine Adresse, während sich sein Ziel ändert. Diese CID unter einem der eigenen Namen veröffentlichen.',
  namesGo: 'Namen wählen',
  privateAccessTitle: (isFolder) =>
    `Nur dieses Konto und Personen mit einem signierten Link können ${isFolder ? 'diesen Ordner' : 'diese Datei'} öffnen`,
  privateAccessHint:
    'Ein Link läuft ab und endet, wenn der Upload gelöscht wird. Der Upload ist nicht verschlüsselt, deshalb kann der Betreiber dieses Dienstes ihn lesen.',
  publicAccessTitle: (isFolder) => `Alle können ${isFolder ? 'diesen Ordner' : 'diese Datei'} lesen`,
  publicAccessHint:
    'Der Upload ist unverschlüsselt, deshalb lässt sich der Zugriff weder erteilen noch entziehen. Verschlüsselt hochladen, um den Zugriff zu steuern.',
}
