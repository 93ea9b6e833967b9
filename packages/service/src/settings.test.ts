import { CairnError } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { listenerSettings } from './listener-settings.ts'
import { readSettings } from './settings.ts'

test.each(['10.0.0.0/8', '127.0.0.1, ::1', '2001:db8::/32,192.0.2.1', ''])('accepts %j as proxies', (value) => {
  const { CAIRN_TRUSTED_PROXIES } = readSettings(
    listenerSettings,
    { CAIRN_TRUSTED_PROXIES: value },
    { foreign: new Set() },
  )
  expect(CAIRN_TRUSTED_PROXIES).toEqual(value.split(/, ?/).filter((one) => one !== ''))
})

test.each(['300.1.1.1', 'proxy.example.org', '10.0.0.0/33', '::1/129', '10.0.0.0/', '10.0.0.0/8/8'])(
  'rejects %j as a proxy, by name',
  (value) => {
    const read = () =>
      readSettings(listenerSettings, { CAIRN_TRUSTED_PROXIES: `127.0.0.1,${value}` }, { foreign: new Set() })
    expect(read).toThrow(CairnError)
    expect(read).toThrow(`CAIRN_TRUSTED_PROXIES must be IP addresses or networks such as 10.0.0.0/8`)
    expect(read).toThrow(`but contains ${value}`)
  },
)

test('errors quote only the beginning of a long value', () => {
  const messageOf = (environment: Record<string, string>) => {
    try {
      readSettings(listenerSettings, environment, { foreign: new Set() })
    } catch (error) {
      return String(error)
    }
    throw new Error('accepted')
  }
  const word = messageOf({ CAIRN_TRUSTED_PROXIES: `10.0.0.1,${'x'.repeat(5000)}` })
  expect(word).toContain('CAIRN_TRUSTED_PROXIES must be IP addresses or networks such as 10.0.0.0/8')
  expect(word).toContain(`${'x'.repeat(100)}…`)
  expect(word).not.toContain('x'.repeat(101))
  expect(messageOf({ CAIRN_TRUSTED_PROXIES: 'ten words that are no address '.repeat(500) }).length).toBeLessThan(800)
  expect(messageOf({ [`CAIRN_${'X'.repeat(5000)}`]: '1' }).length).toBeLessThan(800)
})

test('a parser that names its setting does not make the message name it twice', () => {
  const settings = {
    CAIRN_LIST: {
      about: '',
      fallback: '',
      read: (): string => {
        throw new Error('CAIRN_LIST: the document is not JSON')
      },
    },
  }
  expect(() => readSettings(settings, {}, { foreign: new Set() })).toThrow(/^CAIRN_LIST: the document is not JSON$/)
})

test('suggests the setting that an unknown one resembles, and omits the path in a file setting', () => {
  const read = (environment: Record<string, string>) => () =>
    readSettings(listenerSettings, environment, { foreign: new Set(['CAIRN_DEALS']) })
  expect(read({ CAIRN_DAELS: '{}' })).toThrow(/^CAIRN_DAELS is not a setting, did you mean CAIRN_DEALS\?$/)
  expect(read({ CAIRN_DEALT_FILE: 'x' })).toThrow(
    /^CAIRN_DEALT_FILE is not a setting, did you mean CAIRN_DEALS_FILE\?$/,
  )
  expect(read({ CAIRN_BANANA: '1' })).toThrow(/^CAIRN_BANANA is not a setting$/)
  expect(read({ CAIRN_TRUSTED_PROXIES_FILE: '/none/hidden' })).toThrow(
    /^CAIRN_TRUSTED_PROXIES cannot be read: the file named by CAIRN_TRUSTED_PROXIES_FILE cannot be opened \(ENOENT\)$/,
  )
})
