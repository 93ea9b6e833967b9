// The page's figures are those of the code. tests/system runs its curl lines.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  foreignNamesMost,
  nameDepthMost,
  nameHistoryMost,
  nameLabelCharactersMost,
  nameLifetimeMs,
  namePublishesPerMinute,
  nameRecordBytesMost,
  namesPerAccountMost,
  nameTtlMs,
  nameValueCharactersMost,
  putRoutedName,
} from '@cairn/protocol'
import { expect, test } from 'vitest'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/names.md'), 'utf8')

test('its figures are those of the code', () => {
  const figures = [
    `${namesPerAccountMost.toLocaleString('en')} names an account`,
    `${namePublishesPerMinute} names made or published a minute`,
    `${nameRecordBytesMost / 1024} KiB a record`,
    `${nameValueCharactersMost.toLocaleString('en')} characters a value`,
    `${nameLabelCharactersMost} a label`,
    `${foreignNamesMost.toLocaleString('en')} of them, and ${putRoutedName.limits.perMinute} offered a minute`,
    `the newest ${nameHistoryMost.toLocaleString('en')} records`,
    `${nameLifetimeMs / 3_600_000} hours unless you say`,
    `names may point to names, ${nameDepthMost} deep`,
  ]
  for (const figure of figures) expect(page).toContain(figure)
  expect(nameTtlMs).toBe(5 * 60_000)
})
