import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Phrases that read like a translation. The commits that removed them show the replacements. */
const foreign =
  /\b(anew|mend|mends|mind where|is away|are away|so many|apart|whoever|somebody|nobody|anybody|everybody|for ever|good until|his|him|an? byte|things to|goes up|holds its|takes? back)\b/i

const folder = new URL('en/', import.meta.url)

test.each(readdirSync(folder))('texts of %s are plain English, with no doubled full stop', (file) => {
  const lines = readFileSync(new URL(file, folder), 'utf8').split('\n')
  const texts = lines.filter((line) => !/^(import|\/\*\*)/.test(line))
  expect(texts.filter((line) => foreign.test(line) || /[^.]\.\.(?!\.)/.test(line))).toEqual([])
})
