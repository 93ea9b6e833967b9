import { expect, test } from 'vitest'
import { createLinkSecret, deriveLinkKeys } from './link-key.ts'

const linkSecret = { id: 'AAECAwQFBgcICQoLDA0ODw', key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8' }
/** The cost of a password is the only difference from real links. */
const fast = { logN: 4 }
const flip = (text: string): string => `${text[0] === 'A' ? 'B' : 'A'}${text.slice(1)}`

test('only the key of a link opens what it sealed', async () => {
  const secret = createLinkSecret()
  const keys = await deriveLinkKeys(secret)
  const sealed = await keys.seal('a file key')
  expect(await keys.seal('a file key')).not.toBe(sealed)
  expect(await (await deriveLinkKeys(secret)).open(sealed)).toBe('a file key')
  const others = [{ ...secret, key: flip(secret.key) }, { ...secret, id: flip(secret.id) }, createLinkSecret()]
  for (const other of others) {
    await expect((await deriveLinkKeys(other)).open(sealed)).rejects.toMatchObject({ code: 'DECRYPTION_FAILED' })
  }
  for (const changed of [flip(sealed), sealed.slice(4), '', '*'])
    await expect(keys.open(changed)).rejects.toMatchObject({ code: 'DECRYPTION_FAILED' })
})

test('with a password, neither the link nor the password alone opens it', async () => {
  const keys = await deriveLinkKeys(linkSecret, 'ﬁne', fast)
  const sealed = await keys.seal('a file key')
  // The same password in another Unicode form.
  const same = await deriveLinkKeys(linkSecret, 'fine', fast)
  expect(await same.open(sealed)).toBe('a file key')
  expect(same.passwordToken).toBe(keys.passwordToken)
  // Existing links depend on these.
  expect(same.token).toBe('1JIcqLkeKGLV-I4aGccB6essMklhtBbXCAuCWsia8qw')
  expect(same.passwordToken).toBe('e2-6GScv1QUTEhguMabMQ8V-2e0J0p5J3ScQYGOWoKU')
  const without = await deriveLinkKeys(linkSecret)
  expect(without.token).toBe(keys.token)
  expect(without.passwordToken).toBeUndefined()
  await expect(without.open(sealed)).rejects.toMatchObject({ code: 'DECRYPTION_FAILED' })
  const wrong = await deriveLinkKeys(linkSecret, 'Fine', fast)
  expect(wrong.passwordToken).not.toBe(keys.passwordToken)
  await expect(wrong.open(sealed)).rejects.toMatchObject({ code: 'DECRYPTION_FAILED' })
})

test('an id never looks like an option of a command', () => {
  // One random base64url text in 64 begins with a dash.
  for (let i = 0; i < 2000; i += 1) expect(createLinkSecret().id).toMatch(/^\w[\w-]{21}$/)
})

test.each([
  ['', linkSecret.key],
  [linkSecret.id, ''],
  [linkSecret.id, linkSecret.key.slice(1)],
  [linkSecret.id, `${linkSecret.key.slice(1)}*`],
  [`${linkSecret.id.slice(1)}x`, linkSecret.key],
])('rejects what is not a link: %j %j', async (id, key) => {
  await expect(deriveLinkKeys({ id, key })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
})
