import { formatBytes, formatCount } from '../format.ts'
import type { Texts } from '../texts.ts'
import { counted, plural } from './plural.ts'

const providers = (count: number) => counted(count, { one: 'Anbieter', other: 'Anbieter' })

/** What the SDK says in reports. Reasons of failures stay English, as details of errors do. */
const reportTexts: Readonly<Record<string, string>> = {
  'The root block is all of the content': 'Der Wurzelblock ist der ganze Inhalt',
  'Only the root block was checked, not the blocks it links to':
    'Nur der Wurzelblock wurde geprüft, nicht die Blöcke, auf die er verweist',
  'The root block is in another piece': 'Der Wurzelblock ist in einem anderen Piece',
  'The piece is not in an aggregate yet': 'Das Piece ist noch in keinem Aggregat',
  'The piece is in the aggregate and in its index': 'Das Piece ist im Aggregat und in dessen Index',
  'Not challenged': 'Keine Stichprobe gestellt',
  'This provider does not accept public challenges': 'Dieser Anbieter nimmt keine öffentlichen Stichproben an',
  'No proof recorded yet': 'Noch kein Nachweis verzeichnet',
  'that the content will be available tomorrow': 'dass der Inhalt morgen noch verfügbar ist',
  'that copies are on separate machines, with independent operators, or with operators other than the service':
    'dass die Kopien auf verschiedenen Maschinen liegen, bei voneinander unabhängigen Betreibern oder nicht beim Dienst selbst',
  'that the content is private: encrypt it, and share the key only with its readers':
    'dass der Inhalt vertraulich ist: Dafür verschlüsseln und nur für die Personen freigeben, die ihn lesen sollen',
  'that the pieces contain more than the root block: only a full check proves this':
    'dass die Pieces mehr als den Wurzelblock enthalten: Das weist nur „Alles herunterladen“ nach',
  'that the recorded proofs were not prepared in advance, with nonces chosen to match':
    'dass die verzeichneten Nachweise nicht mit passend gewählten Nonces vorbereitet wurden',
}

const leaves = (count: string) => counted(Number(count), { one: 'Blatt', other: 'Blätter' })
const reportPatterns: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [/^The root block is at byte (\d+) of the piece$/, (offset) => `Der Wurzelblock liegt bei Byte ${offset} des Pieces`],
  [
    /^Proved (\d+) leaves of this piece, chosen at random on this machine$/,
    (count) => `${leaves(count)} dieses Pieces nachgewiesen, hier zufällig ausgewählt`,
  ],
  [
    /^Proved (\d+) leaves of the content of the aggregate, chosen by the service$/,
    (count) => `${leaves(count)} vom Inhalt des Aggregats nachgewiesen, vom Dienst ausgewählt`,
  ],
  [
    /^Proved (\d+) leaves of the aggregate including its padding, chosen by the service$/,
    (count) => `${leaves(count)} des Aggregats mit seinem Füllmaterial nachgewiesen, vom Dienst ausgewählt`,
  ],
  [
    /^The only block of the content is in (\d+) bytes that the providers returned$/,
    (bytes) => `Der einzige Block des Inhalts ist in den ${formatBytes(Number(bytes))}, die Anbieter geliefert haben`,
  ],
  [
    /^All (\d+) blocks of the content are in (\d+) bytes that the providers returned$/,
    (count, bytes) =>
      `Alle ${formatCount(Number(count))} Blöcke des Inhalts sind in den ${formatBytes(Number(bytes))}, die Anbieter geliefert haben`,
  ],
]

function reportText(text: string): string {
  for (const [pattern, write] of reportPatterns) {
    const found = pattern.exec(text)
    if (found !== null) return write(...found.slice(1))
  }
  return reportTexts[text] ?? text
}

/** Proofs: where a file is stored, and how to verify it. */
export const proofs: Texts['proofs'] = {
  hint: 'Speicheranbieter halten Kopien der Dateien und weisen das immer wieder nach. Vertrauen ist nicht nötig: Hier lässt es sich überprüfen.',
  none: 'Noch nichts nachzuweisen',
  noneHint: 'Nach dem Hochladen einer Datei erscheinen hier ihre Deals und Nachweise.',
  listLabel: 'Eigene Dateien und ihre Nachweise',
  of: (name) => `Nachweise von ${name}`,
  showMore: 'Mehr anzeigen',
  loadingMore: 'Weitere werden geladen',
  states: {
    proven: (count) => `Von ${counted(count, { one: 'Anbieter', other: 'Anbietern' })} nachgewiesen`,
    dealt: (count) => `Bei ${counted(count, { one: 'Anbieter', other: 'Anbietern' })}`,
    waiting: 'Noch kein Deal',
    faulted: 'Braucht Aufmerksamkeit',
    unknown: 'Unbekannt',
  },
  copies: 'Kopien',
  copiesHint: (most) =>
    `Kopien pro Datei (1–${formatCount(most)}). Eine höhere Zahl gilt auch für vorhandene Dateien, eine niedrigere nur für neue.`,
  copiesNow: providers,
  copiesMore: 'Eine Kopie mehr',
  copiesFewer: 'Eine Kopie weniger',
  copiesSet: (count) => `Kopien pro Datei: ${formatCount(count)}`,
  copiesFailed: 'Die Anzahl der Kopien wurde nicht geändert',
  back: 'Alle Nachweise',
  openFile: 'Datei öffnen',
  stages: {
    received: 'Empfangen',
    packed: 'Gepackt',
    piece: 'In einem Piece',
    deal: 'Bei Anbietern',
    proven: 'Nachgewiesen',
  },
  stageHints: {
    received: 'Der Dienst hat die Bytes erhalten und die CID berechnet.',
    packed: 'Die Bytes liegen in einem Archiv (CAR), jeder Block mit seinem Hash.',
    piece: 'Archive werden zu Pieces zusammengefasst, die Anbieter speichern.',
    deal: 'Anbieter haben das Piece abgeholt und speichern es.',
    proven: 'Anbieter haben eine Stichprobe mit den richtigen Blättern beantwortet.',
  },
  stageStates: { done: 'erledigt', now: 'läuft', waiting: 'steht aus', fault: 'braucht Aufmerksamkeit' },
  pipeline: 'Fortschritt',
  waitingTitle: 'Noch kein Nachweis',
  waitingHint:
    'Die Datei ist gespeichert. Sie wird zuerst mit anderen Dateien gepackt und dann an Speicheranbieter geschickt. Das dauert eine Weile; diese Seite zeigt den Fortschritt.',
  unknownTitle: 'Hier nicht gespeichert',
  unknownHint: 'Dieser Dienst hat keinen Inhalt mit dieser CID, es gibt also nichts nachzuweisen.',
  verify: 'Überprüfen',
  verifyAgain: 'Noch einmal überprüfen',
  verifyTitle: 'Selbst überprüfen',
  verifyHint:
    'Dieser Browser berechnet jeden Hash vom Wurzelblock bis zu den Anbietern und fragt jeden Anbieter nach zufälligen, hier gewählten Bytes. Der Dienst liefert nur die Nachweise; sonst wird ihm nichts geglaubt.',
  verifyFull: 'Alles herunterladen',
  verifyFullHint:
    'Lädt zusätzlich jedes Piece von einem Anbieter und sucht darin jeden Block des Inhalts. Das können viele Daten sein.',
  verifying: 'Wird überprüft',
  verifyProgress: (done, total) =>
    total === undefined ? formatBytes(done) : `${formatBytes(done)} von ${formatBytes(total)}`,
  provenTitle: 'Überprüft',
  provenHint: (copies) =>
    plural(copies, {
      one: '1 Anbieter hat sie jetzt: Er hat eine zufällige Stichprobe richtig beantwortet.',
      other: `${formatCount(copies)} Anbieter haben sie jetzt: Sie haben eine zufällige Stichprobe richtig beantwortet.`,
    }),
  failedTitle: 'Überprüfung fehlgeschlagen',
  failedHint:
    'Die Nachweise passen nicht zu den Angaben des Dienstes. Die eigene Kopie behalten und den Betreiber dieses Netzwerks benachrichtigen.',
  openTitle: 'Noch nicht nachgewiesen',
  openHint: 'Nichts ist fehlgeschlagen, aber einige Prüfungen waren noch nicht möglich. Später noch einmal versuchen.',
  checkedAt: (when) => `Geprüft ${when}`,
  checks: 'Prüfungen',
  checkOutcomes: { proven: 'nachgewiesen', failed: 'fehlgeschlagen', skipped: 'nicht geprüft' },
  checkBlock: 'Der Wurzelblock ist im Piece',
  checkInclusion: 'Das Piece ist im Aggregat',
  checkContent: 'Alle Blöcke sind vorhanden',
  checkAsked: (name) => `${name} hat diesem Browser geantwortet`,
  checkRecorded: (name) => `${name} hat dem Dienst zuvor geantwortet`,
  reportText,
  unproven: 'Von diesen Prüfungen nicht erfasst',
  saveReport: 'Bericht sichern',
  pathHint:
    'Jedes Piece ist ein Blatt eines Hash-Baums. Mit den benachbarten Hashes entlang seines Pfads lässt sich die Wurzel berechnen, die Anbieter speichern und nachweisen.',
  pathLabel: (levels) =>
    `Pfad vom Piece zur Wurzel seines Aggregats, über ${counted(levels, { one: 'Hash', other: 'Hashes' })}`,
  pathBlock: 'Wurzelblock',
  pathPiece: 'Piece',
  pathAggregate: 'Aggregat',
  pathLies: (offset, size) => `bei ${offset} von ${size}`,
  pathOwn: 'entlang des Pfads berechnet',
  pathSibling: 'mit dem Nachweis geliefert',
  pathWaits: 'Dieses Piece wartet darauf, mit anderen zusammengefasst zu werden.',
  pieceOf: (number, all) => `Piece ${formatCount(number)} von ${formatCount(all)}`,
  morePieces: (count) =>
    `und ${counted(count, { one: 'weiteres Piece, das', other: 'weitere Pieces, die' })} auch in den Rohdaten ${plural(count, { one: 'fehlt', other: 'fehlen' })}`,
  waitingPacks: (count) =>
    plural(count, {
      one: 'Eines ihrer Archive ist noch in keinem Piece.',
      other: `${formatCount(count)} ihrer Archive sind noch in keinem Piece.`,
    }),
  providers: 'Anbieter',
  dealStates: {
    queued: 'In der Warteschlange',
    offered: 'Angeboten',
    kept: 'Gespeichert',
    proving: 'Wird nachgewiesen',
    faulted: 'Nachweise versäumt',
    failed: 'Fehlgeschlagen',
    ended: 'Beendet',
  },
  dealSince: (when) => `gespeichert ${when}`,
  dealProven: (when) => `letzter Nachweis ${when}`,
  dealSilent: (when) => `erste versäumte Stichprobe ${when}`,
  dealProofs: (count, faults) =>
    `${counted(count, { one: 'Nachweis', other: 'Nachweise' })}, ${formatCount(faults)} versäumt`,
  dealNext: (when) => `nächste Stichprobe ${when}`,
  dealsNone: 'Noch wurde kein Anbieter gefragt.',
  history: 'Stichproben',
  historyHint: 'Stichproben des Dienstes und ihre Ergebnisse, die neuesten zuerst.',
  historyNone: 'Noch gab es keine Stichprobe.',
  historyWhen: 'Zeitpunkt',
  historyDeal: 'Anbieter',
  historyOutcome: 'Ergebnis',
  historyLeaves: 'Blätter',
  historySource: 'Nonce',
  outcomes: { proved: 'Nachgewiesen', wrong: 'Falsche Antwort', silent: 'Keine Antwort' },
  dealNumber: (id) => `Deal ${id}`,
  raw: 'Rohdaten',
  rawHint: 'Die Nachweise, wie der Dienst sie liefert, für eigene Werkzeuge.',
  copyRaw: 'Rohdaten kopieren',
  copyCid: 'CID kopieren',
  copyPiece: 'Piece-CID kopieren',
}
