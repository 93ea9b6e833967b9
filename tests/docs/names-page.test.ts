// The figures of the page match the code. tests/system runs its curl lines.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  maxForeignNames,
  maxNameDepth,
  maxNameHistory,
  maxNameLabelCharacters,
  maxNameRecordBytes,
  maxNamesPerAccount,
  maxNameValueCharacters,
  nameLifetimeMs,
  namePublishesPerMinute,
  nameTtlMs,
  putRoutedName,
} from '@cairn/protocol'
import { expect, test } from 'vitest'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/names.md'), 'utf8')

test('its figures match the code', () => {
  const figures = [
    `| names per account | ${maxNamesPerAccount.toLocaleString('en')} |`,
    `| names created or published per minute and API key | ${namePublishesPerMinute} |`,
    `| record | ${maxNameRecordBytes / 1024} KiB |`,
    `| value | ${maxNameValueCharacters.toLocaleString('en')} characters |`,
    `| label | ${maxNameLabelCharacters} characters |`,
    `| stored records of names that no account lists | ${maxForeignNames.toLocaleString('en')} |`,
    `| records of such names per minute and address | ${putRoutedName.limits.perMinute} |`,
    `the newest ${maxNameHistory.toLocaleString('en')} records`,
    `${nameLifetimeMs / 3_600_000} hours by default`,
    `names may point to names, ${maxNameDepth} deep`,
  ]
  for (const figure of figures) expect(page).toContain(figure)
  expect(nameTtlMs).toBe(5 * 60_000)
})
