import { readFile } from 'node:fs/promises'
import {
  conditionReasons,
  conditionRules,
  errorTable,
  eventReasons,
  fieldRules,
  paymentReasons,
  proofReasons,
} from '@cairn/protocol'
import { describe, expect, test } from 'vitest'
import * as english from './en/en.ts'
import { languages, nameLanguage } from './languages.ts'
import type { Texts } from './texts.ts'

/** Texts that a language shares with English, because it has the same word or the text belongs to no language. */
const shared: Readonly<Record<string, readonly string[]>> = {
  de: [
    ...['0x…', '…', 'Cairn', 'CID', 'EVM', 'Ethereum (EVM)', 'PDF', 'PEM', 'Solana', 'Token (ERC-20)', 'Token (SPL)'],
    ...[
      'Audio',
      'Chain',
      'Chains',
      'Details',
      'Esc',
      'Explorer',
      'Format',
      'Gateway',
      'Limit',
      'Link',
      'Links',
      'Name',
    ],
    ...['Nonce', 'Offline', 'Online', 'Orange', 'Piece', 'Status', 'System', 'Tags', 'Text', 'Token'],
  ],
}

/** Every value of the texts, by its path. Functions and empty texts included. */
function listTexts(texts: object, path = ''): [string, unknown][] {
  return Object.entries(texts).flatMap(([name, value]: [string, unknown]): [string, unknown][] =>
    typeof value === 'object' && value !== null ? listTexts(value, `${path}${name}.`) : [[path + name, value]],
  )
}

/** Errors and reasons carry their English texts. */
const listOwnTexts = ({ errors: _errors, reasons: _reasons, ...texts }: Texts) => listTexts(texts)

/** Codes without a text in other languages, because the console never receives them. */
const notOfTheConsole: readonly string[] = [
  // Of the command line.
  ...['USAGE', 'INVALID_PRIVATE_KEY', 'INVALID_KEYSTORE', 'NETWORK_CHANGED'],
  ...['INVALID_ARCHIVE', 'EXPORT_INCOMPLETE', 'IMPORT_INCOMPLETE'],
  // Of operators.
  ...['INVALID_CONFIGURATION', 'RECOVERY_NEEDED', 'BACKUP_DAMAGED', 'BACKUP_KEY', 'BACKUP_NEWER', 'BACKUP_OF_ANOTHER'],
  // Of calls and parts of the SDK that the console does not use
  ...['INVALID_CID_VERSION', 'JWT_REQUIRED', 'TOKEN_NOT_PROVIDED', 'NO_JSON_ARRAY', 'UNSUPPORTED_BODY'],
  ...['PIN_LIMIT', 'PIN_NOT_FOUND', 'WEBHOOK_LIMIT', 'WEBHOOK_NOT_FOUND', 'INVALID_WEBHOOK_URL'],
  ...['IPNS_KEY_UNKNOWN', 'NOT_ACCEPTABLE'],
]

const wanted = listOwnTexts(english)

test('each language has its own name', () => {
  expect(Object.keys(languages).map(nameLanguage)).toEqual(['English', 'Deutsch'])
})

test('the page and its manifest describe the console as the texts do', async () => {
  const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
  expect(JSON.parse(await read('public/manifest.webmanifest'))).toMatchObject({
    lang: 'en',
    description: english.app.description,
  })
  expect(await read('index.html')).toContain(`<meta name="description" content="${english.app.description}" />`)
})

test('conditions are worded for folders and files alike', async () => {
  const others = await Promise.all(Object.values(languages).map((load) => load?.()))
  const all = [english, ...others.filter((texts) => texts !== undefined)]
  expect(all.length).toBe(Object.keys(languages).length)
  // The file of `jsonOpen` is one with conditions.
  const texts = all.flatMap(({ conditions: { jsonOpen: _, ...conditions } }) => listTexts(conditions))
  expect(texts.filter(([, text]) => /\b(file|folder)s?\b|Datei|Ordner/i.test(String(text)))).toEqual([])
})

const tables = [proofReasons, conditionReasons, paymentReasons, eventReasons, fieldRules, conditionRules]

describe.each(Object.entries(languages).flatMap(([tag, load]) => (load === undefined ? [] : [{ tag, load }])))(
  'the texts in $tag',
  ({ tag, load }) => {
    test('match the English ones in number and kind', async () => {
      const kinds = (texts: readonly [string, unknown][]) =>
        texts.map(([path, value]) => `${path}: ${typeof value}`).sort()
      expect(kinds(listOwnTexts(await load()))).toEqual(kinds(wanted))
    })

    test('are translated, and empty only where the English ones are', async () => {
      const own = new Map(listOwnTexts(await load()))
      const untranslated = wanted.filter(([path, text]) => text !== '' && own.get(path) === text)
      expect(untranslated.filter(([, text]) => !shared[tag]?.includes(String(text)))).toEqual([])
      const empty = [...own].filter(([, text]) => text === '').map(([path]) => path)
      expect(empty).toEqual(wanted.filter(([, text]) => text === '').map(([path]) => path))
    })

    test('state what happened in an error, without a full stop, and what to do', async () => {
      const { errors } = await load()
      expect(Object.keys(errors).length).toBeGreaterThan(50)
      for (const [code, { message, hint, other = message }] of Object.entries(errors)) {
        const [what, whatToDo] = [expect.stringMatching(/[^.]$/), expect.stringMatching(/[^.]\.$/)]
        expect([code, message, hint, other]).toEqual([code, what, whatToDo, what])
      }
    })

    test('have a text for each error code that the console can receive', async () => {
      const { errors } = await load()
      const translated = Object.keys(errors)
      const missing = Object.keys(errorTable).filter((code) => !translated.includes(code))
      expect(missing.sort()).toEqual([...notOfTheConsole].sort())
    })

    test('have each reason and each rule of a field, with the values of the English one', async () => {
      const { reasons } = await load()
      const valuesOf = (text: string | undefined) => text?.match(/\{\w+\}/g)?.sort()
      const wanted = tables.flatMap((table) => Object.entries<string>(table))
      expect(new Set(wanted.map(([code]) => code)).size).toBe(wanted.length)
      expect(wanted.length).toBeGreaterThan(160)
      const found: Readonly<Partial<Record<string, string>>> = reasons
      expect(wanted.filter(([code]) => found[code] === undefined)).toEqual([])
      for (const [code, text] of wanted) expect([code, valuesOf(found[code])]).toEqual([code, valuesOf(text)])
      expect(wanted.filter(([code, text]) => found[code] === text)).toEqual([])
    })

    test('name the same fields in the sentences of conditions', async () => {
      const { conditions } = await load()
      const fieldsOf = ({ sentence }: { sentence: string }) => sentence.match(/\{\w+\}/g)?.sort()
      for (const [kind, texts] of Object.entries(english.conditions.kinds)) {
        expect([kind, fieldsOf(Reflect.get(conditions.kinds, kind))]).toEqual([kind, fieldsOf(texts)])
      }
    })
  },
)

test('German texts count and quote by German rules', async () => {
  const { files, activity, drive, proofs, links } = await import('./de/de.ts')
  expect([0, 1, 2, 1000].map(files.count)).toEqual(['0 Uploads', '1 Upload', '2 Uploads', '1,000 Uploads'])
  expect([1, 2].map(drive.versionCount)).toEqual(['1 Version', '2 Versionen'])
  expect([1, 3].map((count) => links.opens(0, count))).toEqual(['0 von 1 Aufruf', '0 von 3 Aufrufen'])
  expect(proofs.provenHint(1)).toMatch(/^1 Anbieter hat sie jetzt/)
  expect(proofs.provenHint(2)).toMatch(/^2 Anbieter haben sie jetzt/)
  expect(activity.describe('link.opened', { opens: 1 })).toBe('Link geöffnet, bisher einmal')
  expect(activity.describe('link.opened', { opens: 4 })).toBe('Link geöffnet, bisher 4-mal')
  expect(activity.stored({ access: 'encrypted', isFolder: true, size: '8 B' })).toBe(
    'Verschlüsselter Ordner gespeichert, 8 B',
  )
  expect(links.revokeTitle('Bilder')).toBe('„Bilder“ widerrufen?')
})

test('German texts use the terms of the buttons, and say what the English texts say', async () => {
  const { activity, drive, errors, access, preview, transfers, upload } = await import('./de/de.ts')
  expect([english.upload.place, upload.place]).toEqual([english.drive.root, drive.root])
  // What is halted continues later.
  expect(transfers.pause('x')).toBe('x anhalten')
  expect(preview.cancelDecrypt).toBe('Abbrechen')
  expect(activity.describeKey.retire()).toBe(`Dateischlüssel ${access.sharedRetired}`)
  expect(errors.NO_KEY_NODES?.hint).toMatch(/^Unverschlüsselt hochladen/)
  expect(errors.KEY_RETIRED?.message).toMatch(/stillgelegt$/)
})
