import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import memory from './program-memory.json' with { type: 'json' }

const deploy = resolve(import.meta.dirname, '../../../deploy')
const environment = Object.entries(memory.environment).map(([name, value]) => `${name}=${value}`)

/** The storage service has a larger young generation than in a local network: decision 0633. */
const argumentsOf = (service: string): string[] =>
  memory.arguments.map((argument) =>
    service === 'storage' ? argument.replace('--max-semi-space-size=1', '--max-semi-space-size=4') : argument,
  )

test('the image starts services with the memory settings of a local network', () => {
  const image = readFileSync(join(deploy, 'Dockerfile'), 'utf8')
  const [, start = ''] = /exec node (.*) \/app\/service\.js/.exec(image) ?? []
  const [, storage = '', others = ''] = /storage\) young=(\d+) ;; \*\) young=(\d+) ;;/.exec(image) ?? []
  expect(start.replace('%s', others).split(' ')).toEqual(expect.arrayContaining(memory.arguments))
  expect(start.replace('%s', storage).split(' ')).toEqual(expect.arrayContaining(argumentsOf('storage')))
  for (const setting of environment) expect(image).toMatch(new RegExp(`^ENV .*\\b${setting}$`, 'm'))
})

const readUnit = (name: string) => readFileSync(join(deploy, 'systemd', name), 'utf8')
/** Backups run once and exit. */
const services = readdirSync(join(deploy, 'systemd')).filter(
  (name) => name.endsWith('.service') && !readUnit(name).includes('Type=oneshot'),
)

test.each(services)('the unit %s starts services with the memory settings of a local network', (name) => {
  const unit = readUnit(name)
  const service = /^cairn-(\w+)/.exec(name)?.[1] ?? ''
  for (const argument of argumentsOf(service)) expect(unit).toMatch(new RegExp(`^ExecStart=.* ${argument} `, 'm'))
  for (const setting of environment) expect(unit).toMatch(new RegExp(`^Environment=.*\\b${setting}$`, 'm'))
})
