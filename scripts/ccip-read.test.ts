import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** Calls that create a viem client, up to the end of their options. */
function findClients(source: string): string[] {
  return [...source.matchAll(/(?<!`)\bcreate(?:Public|Wallet)?Client\(\{/g)].map(({ index }) => {
    let depth = 0
    for (let at = index; at < source.length; at++) {
      if (source[at] === '(') depth++
      if (source[at] === ')' && --depth === 0) return source.slice(index, at + 1)
    }
    return source.slice(index)
  })
}

// With CCIP-Read (EIP-3668) on, as by default, any called contract can name URLs that viem then fetches.
test('every viem client in our sources disables CCIP-Read', () => {
  const files = globSync('{packages,services,apps}/*/src/**/*.{ts,tsx}', { cwd: root }).filter(
    (file) => !/\.(test|fixture|suite)\.tsx?$/.test(file),
  )
  const clients = files.flatMap((file) => {
    const source = readFileSync(resolve(root, file), 'utf8')
    return /from 'viem'/.test(source) ? findClients(source).map((call) => ({ file, call })) : []
  })
  expect(clients.length).toBeGreaterThan(8)
  expect(clients.filter(({ call }) => !call.includes('ccipRead: false'))).toEqual([])
})
