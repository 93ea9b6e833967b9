import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { proofs } from './de/proofs.ts'

/** The texts of reports, as the sources of the SDK have them, with numbers in the places of values. */
async function listReportTexts(): Promise<string[]> {
  const read = (name: string) =>
    readFile(new URL(`../../../../packages/sdk/src/proofs/${name}.ts`, import.meta.url), 'utf8')
  const [storage, provider] = await Promise.all(['verify-storage', 'verify-provider'].map(read))
  const sources = `${storage}${provider}`
  const fixed = [...sources.matchAll(/'((?:that |The (?:root block|piece) is )[^']+)'|message: '([^']+)'/g)]
  const values = [...sources.matchAll(/return `((?:The root block|Proved)[^`]+)`/g)]
  const written = values.flatMap(([, text = '']) =>
    ['the content of the aggregate', 'the aggregate including its padding'].map((among) =>
      text.replace(/\$\{among\}/, among).replaceAll(/\$\{[^}]+\}/g, '8'),
    ),
  )
  return [...new Set([...fixed.map(([, text, message]) => text ?? message ?? ''), ...written])]
}

test('the German report says all that a report of the SDK can say, except for reasons of failures', async () => {
  const texts = await listReportTexts()
  expect(texts.length).toBeGreaterThanOrEqual(14)
  expect(texts.filter((text) => proofs.reportText(text) === text)).toEqual([])
  for (const text of ['All 5 blocks of the content are', 'The only block of the content is'])
    expect(proofs.reportText(`${text} in 1024 bytes that the providers returned`)).toMatch(/in den 1.KiB, die Anbieter/)
  expect(proofs.reportText('Proved 1 leaves of this piece, chosen at random on this machine')).toMatch(/^1 Blatt /)
})
