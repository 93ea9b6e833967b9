import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { describe, expect, it } from 'vitest'
import { parseDealSettings, parseProviders } from './deal-settings.ts'

const key = `0x${'5A'.repeat(32)}`
const filecoin = {
  kind: 'filecoin',
  name: 'fil',
  network: 'calibration',
  providerId: 4,
  url: 'https://pdp.example',
  key,
}

function problemOf(providers: unknown): string {
  try {
    parseProviders(JSON.stringify(providers))
  } catch (error) {
    if (!CairnError.is(error, 'INVALID_CONFIGURATION')) throw error
    return `${error.message} ${String(error.cause)}`
  }
  throw new Error('it was taken')
}

describe('a provider of Filecoin', () => {
  it('needs its number, its URL and a key, and has defaults for the rest', () => {
    expect(parseProviders(JSON.stringify([filecoin]))).toEqual([
      { ...filecoin, rpcUrl: undefined, payer: undefined, confirmations: 5 },
    ])
  })

  it('can have its key in a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-settings-'))
    try {
      await writeFile(join(folder, 'key'), `${key}\n`)
      const { key: _, ...rest } = filecoin
      expect(parseProviders(JSON.stringify([{ ...rest, keyFile: join(folder, 'key') }]))).toMatchObject([{ key }])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it.each([
    ['another network', { network: 'devnet' }],
    ['no number', { providerId: undefined }],
    ['a number that is none', { providerId: 0 }],
    ['no URL', { url: undefined }],
    ['another scheme', { rpcUrl: 'ws://node.example' }],
    ['a payer that is no address', { payer: '0x12' }],
    ['too many confirmations', { confirmations: 901 }],
    ['a key that is no hex', { key: `0x${'z'.repeat(64)}` }],
    ['a key that is too short', { key: '0x5A5A5A5A5A5A5A5A5A5A' }],
    ['a setting that nobody knows', { dataSet: 3 }],
  ])('with %s is rejected, without quoting a key', (_, change) => {
    const problem = problemOf([{ ...filecoin, ...change }])
    expect(problem).toContain('CAIRN_PROVIDERS')
    expect(problem).not.toMatch(/5A5A5A|zzzz/)
  })

  it('has its own name', () => {
    expect(problemOf([filecoin, filecoin])).toContain('the same name')
  })
})

it.each([
  ['{"copies":0}', 'CAIRN_DEALS: copies must be at least 1, but is 0'],
  ['{"challengeSeconds":"60"}', 'CAIRN_DEALS: challengeSeconds must be a number, but is "60"'],
  ['{"leaves":3}', 'CAIRN_DEALS: leaves is not allowed'],
  ['{"copies":', 'CAIRN_DEALS: the document is not JSON'],
])('describes the deal setting %s by field, rule and value', (text, message) => {
  expect(() => parseDealSettings(text)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIGURATION', message }))
})

it('describes a provider by its position, field and rule', () => {
  expect(problemOf([filecoin, { ...filecoin, kind: 'ipfs' }])).toContain(
    '1.kind must be "cairn" or "filecoin", but is "ipfs"',
  )
  expect(problemOf([{ ...filecoin, providerId: 0 }])).toContain('0.providerId must be at least 1, but is 0')
})
