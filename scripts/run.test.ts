import { spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cairn-run-'))
  mkdirSync(join(root, 'scripts'))
  mkdirSync(join(root, 'bin'))
  cpSync(resolve(import.meta.dirname, 'run.mjs'), join(root, 'scripts/run.mjs'))
  writeFileSync(join(root, 'package-lock.json'), '{}')
  writeFileSync(join(root, 'hello.mjs'), "console.log('hello')\n")
  // An npm that takes its time, notes each call, and says so when another is at work beside it.
  const npm = join(root, 'bin/npm')
  const lines = ['#!/bin/sh', `cd '${root}'`, 'echo call >> calls', 'mkdir busy || echo twice >> calls']
  writeFileSync(npm, [...lines, 'sleep 0.5', 'mkdir -p node_modules', 'rmdir busy', ''].join('\n'))
  chmodSync(npm, 0o755)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function start(): Promise<{ code: number | null; out: string }> {
  const child = spawn(process.execPath, [join(root, 'scripts/run.mjs'), 'hello.mjs'], {
    env: { PATH: `${join(root, 'bin')}:${process.env['PATH']}` },
  })
  let out = ''
  child.stdout.on('data', (bytes: Buffer) => {
    out += bytes.toString()
  })
  return new Promise((done) => child.on('close', (code) => done({ code, out })))
}

test('several commands at once after a clone install once', async () => {
  const runs = await Promise.all([start(), start(), start()])
  expect(runs).toEqual(Array(3).fill({ code: 0, out: 'hello\n' }))
  expect(readFileSync(join(root, 'calls'), 'utf8')).toBe('call\n')
  expect(existsSync(join(root, '.cairn-install.lock'))).toBe(false)
})

test('a lock whose holder is gone holds up nobody', async () => {
  writeFileSync(join(root, '.cairn-install.lock'), '999999999')
  expect(await start()).toEqual({ code: 0, out: 'hello\n' })
})
