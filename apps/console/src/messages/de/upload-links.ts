import { formatBytes, formatCount } from '../format.ts'
import type { Texts } from '../texts.ts'
import { counted } from './plural.ts'

const files = (count: number) => counted(count, { one: 'Datei', other: 'Dateien' })

/** The page that an upload link opens, for people who send files into the account of another. */
export const uploadLinks: Texts['uploadLinks'] = {
  title: 'Dateien schicken',
  hint: 'Sie gehen unverschlüsselt an das Konto, das diesen Link geteilt hat. Weder Konto noch Wallet sind nötig.',
  receivedBy: 'Empfänger',
  copyAddress: 'Adresse kopieren',
  expires: 'Läuft ab',
  left: 'Noch möglich',
  leftText: (count, bytes) => `${files(count)}, ${formatBytes(bytes)}`,
  largest: 'Größte Datei',
  types: 'Erlaubte Arten',
  choose: 'Dateien auswählen',
  drop: 'oder hier ablegen',
  files: 'Dateien',
  waiting: 'Wartet',
  sending: (percent) => `${formatCount(percent)} %`,
  progress: (name) => `Upload von ${name}`,
  stored: 'Gesendet',
  retry: 'Wiederholen',
  done: (count) => `${files(count)} gesendet`,
  loading: 'Link wird geprüft',
  openFailed: 'Der Link ließ sich nicht öffnen',
  ended: {
    expired: {
      title: 'Dieser Link ist abgelaufen',
      hint: 'Die Person, die ihn geteilt hat, kann einen neuen schicken.',
    },
    'used-up': {
      title: 'Dieser Link ist aufgebraucht',
      hint: 'Er nimmt keine Dateien mehr an. Die Person, die ihn geteilt hat, kann einen neuen schicken.',
    },
    revoked: {
      title: 'Dieser Link wurde widerrufen',
      hint: 'Die Person, die ihn geteilt hat, hat ihn zurückgezogen.',
    },
    unknown: {
      title: 'Dieser Link gilt nicht mehr',
      hint: 'Die Person, die ihn geteilt hat, kann einen neuen schicken.',
    },
  },
  notFound: {
    title: 'Link nicht gefunden',
    hint: 'Die Adresse enthält vielleicht einen Tippfehler, oder der Link ist seit mehr als 30 Tagen abgelaufen.',
  },
  notWhole: {
    title: 'Dieser Link ist unvollständig',
    hint: 'Der Teil nach # fehlt oder wurde verändert. Den ganzen Link kopieren und noch einmal öffnen.',
  },
  blocked: {
    title: 'Dieser Link ist nicht verfügbar',
    hint: 'Der Betreiber dieses Dienstes hat das Konto gesperrt, das ihn geteilt hat.',
  },
}
