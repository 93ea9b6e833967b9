import type { Texts } from '../texts.ts'

/** The page that a link opens, for people who may see the console for the first time. */
export const linkPage: Texts['linkPage'] = {
  title: 'Eine Datei oder ein Ordner wurde geteilt',
  hint: 'Der Inhalt ist verschlüsselt. Dieser Browser entschlüsselt ihn, ohne Konto und ohne Wallet.',
  sharedBy: 'Geteilt von',
  copyAddress: 'Adresse kopieren',
  expires: 'Läuft ab',
  opensLeft: 'Verbleibende Aufrufe',
  size: 'Größe',
  password: 'Passwort',
  passwordHint: 'Die Person, die den Link geteilt hat, kennt es.',
  passwordEmpty: 'Das Passwort eingeben.',
  passwordWrong: (max) => `Falsches Passwort. Nach ${max} falschen Passwörtern ist der Link gesperrt.`,
  open: 'Öffnen',
  openLast: 'Der Link lässt sich nur noch einmal öffnen. Wichtiges dann gleich sichern.',
  opening: 'Wird geöffnet',
  openFailed: 'Der Link ließ sich nicht öffnen',
  loading: 'Link wird geprüft',
  ended: {
    expired: {
      title: 'Dieser Link ist abgelaufen',
      hint: 'Die Person, die ihn geteilt hat, kann einen neuen schicken.',
    },
    'used-up': {
      title: 'Dieser Link ist aufgebraucht',
      hint: 'Er wurde so oft geöffnet wie erlaubt, oder das Passwort war zu oft falsch. Die Person, die ihn geteilt hat, kann einen neuen schicken.',
    },
    revoked: {
      title: 'Dieser Link wurde widerrufen',
      hint: 'Die Person, die ihn geteilt hat, hat ihn zurückgezogen. Sie kann einen neuen schicken.',
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
  deleted: {
    title: 'Das wurde gelöscht',
    hint: 'Der Inhalt ist hier nicht mehr gespeichert. Die Person, die den Link geschickt hat, kann weiterhelfen.',
  },
  notWhole: {
    title: 'Dieser Link ist unvollständig',
    hint: 'Der Teil nach # fehlt oder wurde verändert. Er ist der Schlüssel. Den ganzen Link kopieren und noch einmal öffnen.',
  },
  blocked: {
    title: 'Dieser Link ist nicht verfügbar',
    hint: 'Der Betreiber dieses Dienstes hat das Konto gesperrt, das ihn geteilt hat.',
  },
  save: 'Datei sichern',
  saved: 'Gesichert',
  saveFailed: 'Die Datei wurde nicht gesichert',
  show: 'Hier anzeigen',
  otherHint: 'Diese Seite zeigt Dateien dieser Art nicht an. Sichern, um sie auf dem Gerät zu öffnen.',
  up: 'Eine Ebene nach oben',
}
