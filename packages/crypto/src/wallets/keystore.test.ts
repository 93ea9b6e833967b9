import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { decryptKeystore, encryptKeystore } from './keystore.ts'
import { deriveByScrypt as deriveInBrowsers } from './scrypt.browser.ts'
import { deriveByScrypt } from './scrypt.ts'
import { createWallet, signMessage, walletFromPrivateKey } from './wallet.ts'

// The ethers library inside the peer's published SDK, as an oracle.
type Ethers = {
  Wallet: (new (
    key: string,
  ) => { address: string; signMessage(text: string): Promise<string>; encrypt(password: string): Promise<string> }) & {
    fromEncryptedJson(json: string, password: string): Promise<{ address: string; privateKey: string }>
  }
}
const { ethers }: { ethers: Ethers } = createRequire(createRequire(import.meta.url).resolve('@lighthouse-web3/sdk'))(
  'ethers',
)

const fast = { logN: 12 }

// The example of the Web3 Secret Storage definition, with PBKDF2 and with scrypt.
const pbkdf2File = JSON.stringify({
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
})
const scryptFile = JSON.stringify({
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 262144,
      r: 1,
      p: 8,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
})
const secretOfExamples = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'

test.each([
  ['PBKDF2', pbkdf2File],
  ['scrypt', scryptFile],
])('opens the published example with %s', async (_kdf, file) => {
  expect((await decryptKeystore(file, 'testpassword')).privateKey).toBe(secretOfExamples)
})

test('opens its own files and those of ethers, and ethers opens ours', async () => {
  const wallet = createWallet()
  const ours = await encryptKeystore(wallet.privateKey, 'correct hörse', fast)
  expect(await decryptKeystore(ours, 'correct hörse')).toEqual(wallet)
  // Some keyboards write the umlaut as two characters.
  expect(await decryptKeystore(ours, 'correct ho\u0308rse')).toEqual(wallet)
  expect((await ethers.Wallet.fromEncryptedJson(ours, 'correct hörse')).address).toBe(wallet.address)
  const theirs = await new ethers.Wallet(wallet.privateKey).encrypt('other')
  expect(await decryptKeystore(theirs, 'other')).toEqual(wallet)
})

test('rejects a wrong password, a changed file and a foreign file with one code', async () => {
  const file = await encryptKeystore(createWallet().privateKey, 'right', fast)
  await expect(decryptKeystore(file, 'wrong')).rejects.toMatchObject({ code: 'INVALID_KEYSTORE' })
  const changed = file.replace(
    /"ciphertext":"(..)/,
    (_all, two: string) => `"ciphertext":"${two === '00' ? '01' : '00'}`,
  )
  await expect(decryptKeystore(changed, 'right')).rejects.toMatchObject({ code: 'INVALID_KEYSTORE' })
  for (const foreign of [
    '',
    '{}',
    '[]',
    'null',
    '{"version":3}',
    '{"version":3,"crypto":{}}',
    file.replace('"n":4096', '"n":1073741824'),
    file.replace('scrypt', 'md5'),
  ]) {
    await expect(decryptKeystore(foreign, 'right'), foreign).rejects.toMatchObject({ code: 'INVALID_KEYSTORE' })
  }
  const slow = pbkdf2File.replace('"c":262144', '"c":10000001')
  await expect(decryptKeystore(slow, 'testpassword')).rejects.toThrow('it requires too many rounds')
})

test('addresses and signatures equal those of ethers', async () => {
  for (const text of ['', 'hello', 'grüße 🎉', 'a'.repeat(1000)]) {
    const wallet = createWallet()
    const oracle = new ethers.Wallet(wallet.privateKey)
    expect(wallet.address).toBe(oracle.address)
    expect(signMessage(wallet.privateKey, text)).toBe(await oracle.signMessage(text))
  }
})

test.each(['', '0x', 'a'.repeat(63), '0'.repeat(64), 'f'.repeat(64), 'g'.repeat(64)])(
  '%s is not a private key',
  (key) => {
    expect(() => walletFromPrivateKey(key)).toThrow('Invalid private key')
  },
)

// RFC 7914, section 12, as far as it derives 32 bytes or more.
test.each([
  ['by Node', deriveByScrypt],
  ['in browsers', deriveInBrowsers],
])('scrypt %s derives what its definition says', async (_where, derive) => {
  const text = (value: string) => new TextEncoder().encode(value)
  const first32 = async (...args: Parameters<typeof derive>) => Buffer.from(await derive(...args)).toString('hex')
  expect(await first32(text(''), text(''), { N: 16, r: 1, p: 1 })).toBe(
    '77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442',
  )
  expect(await first32(text('password'), text('NaCl'), { N: 1024, r: 8, p: 16 })).toBe(
    'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162',
  )
  expect(await first32(text('pleaseletmein'), text('SodiumChloride'), { N: 16384, r: 8, p: 1 })).toBe(
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2',
  )
})
