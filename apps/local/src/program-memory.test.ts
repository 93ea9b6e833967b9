import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import memory from './program-memory.json' with { type: 'json' }

const deploy = resolve(import.meta.dirname, '../../../deploy')
const environment = Object.entries(memory.environment).map(([name, value]) => `${name}=${value}`)

test('the image starts services with the memory settings of a local network', () => {
  const image = readFileSync(join(deploy, 'Dockerfile'), 'utf8')
  for (const argument of memory.arguments) expect(image).toMatch(new RegExp(`^ENTRYPOINT .*"${argument}"`, 'm'))
  for (const setting of environment) expect(image).toMatch(new RegExp(`^ENV .*\\b${setting}$`, 'm'))
})

const readUnit = (name: string) => readFileSync(join(deploy, 'systemd', name), 'utf8')
/** Backups run once and exit. */
const services = readdirSync(join(deploy, 'systemd')).filter(
  (name) => name.endsWith('.service') && !readUnit(name).includes('Type=oneshot'),
)

test.each(services)('the unit %s starts services with the memory settings of a local network', (name) => {
  const unit = readUnit(name)
  for (const argument of memory.arguments) expect(unit).toMatch(new RegExp(`^ExecStart=.* ${argument} `, 'm'))
  for (const setting of environment) expect(unit).toMatch(new RegExp(`^Environment=.*\\b${setting}$`, 'm'))
})
