import { formatBytes, formatCount } from '../format.ts'
import type { Texts } from '../texts.ts'
import { counted, plural } from './plural.ts'

const providers = (count: number) => counted(count, { one: 'Anbieter', other: 'Anbieter' })

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
    proven: (count) => `Von ${formatCount(count)} nachgewiesen`,
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
    received: 'Der Dienst hat die Bytes und hat die CID berechnet.',
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
