import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { commandFor, networkHome } from './network-home.ts'

test('an empty CAIRN_HOME does not mean the current folder', () => {
  expect([networkHome({ CAIRN_HOME: '' }), networkHome({})]).toEqual([resolve('.cairn'), resolve('.cairn')])
  expect(networkHome({ CAIRN_HOME: 'other' })).toBe(resolve('other'))
})

test.each([
  ['.cairn', 'npm run cairn --'],
  ['.cairn-two', 'CAIRN_HOME=.cairn-two npm run cairn --'],
  ['my home', "CAIRN_HOME='my home' npm run cairn --"],
  ["it's $HOME", String.raw`CAIRN_HOME='it'\''s $HOME' npm run cairn --`],
])('the command line for %s can be pasted into a shell', (folder, command) => {
  expect(commandFor(resolve(folder))).toBe(command)
})
