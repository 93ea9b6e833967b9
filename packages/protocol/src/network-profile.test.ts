import { expect, test } from 'vitest'
import { parseNetworkProfile } from './network-profile.ts'

const least = {
  name: 'local',
  api: 'http://127.0.0.1:8080',
  upload: 'http://127.0.0.1:8080',
  gateway: 'http://127.0.0.1:8081',
}

test('parts that are not there yet are absent', () => {
  expect(parseNetworkProfile(least)).toEqual(least)
})

test('a profile with a wrong address is refused', () => {
  expect(() => parseNetworkProfile({ ...least, api: 'localhost' })).toThrow('URL')
  expect(() => parseNetworkProfile({})).toThrow()
})
