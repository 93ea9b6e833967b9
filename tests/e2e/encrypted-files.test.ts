// User actions on encrypted files, through the SDK, against five real nodes.
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commitShards, generateKey, isFormatV2 } from '@cairn/crypto'
import {
  type Client,
  createClient,
  createLink,
  decryptBytes,
  decryptFile,
  deleteFile,
  downloadBytes,
  explainAccess,
  exportKey,
  getConditions,
  getDecryptedSize,
  getFileInfo,
  getKey,
  getKeyStatus,
  inspectLink,
  isEncrypted,
  listFiles,
  listKeyFiles,
  openLink,
  openSeekable,
  recoverExported,
  repairKey,
  revokeAccess,
  revokeLink,
  rotateFile,
  shareFile,
  transferFile,
  uploadEncrypted,
  uploadEncryptedBytes,
  uploadEncryptedFolder,
  uploadEncryptedText,
} from '@cairn/sdk'
import { base16, base16upper } from 'multiformats/bases/base16'
import { base32upper } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openGateway } from '../../packages/sdk/src/download/gateway.fixture.ts'
import { startFaultyProxy } from '../faulty-proxy.ts'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { listen } from '../listen.ts'

type KeyClient = Awaited<ReturnType<typeof createKeyClient>>

let network: TestNetwork
let owner: KeyClient
let friend: KeyClient
let folder = ''

beforeAll(async () => {
  network = await createTestNetwork()
  owner = await createKeyClient(network)
  friend = await createKeyClient(network)
  folder = mkdtempSync(join(tmpdir(), 'cairn-encrypted-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await network?.[Symbol.asyncDispose]()
})

test('a link opens a file without a wallet, and no request contains its key', async () => {
  const { cid } = await uploadEncryptedText(owner, 'dear Ida', { name: 'letter.txt' })
  const { id, url, needsPassword } = await createLink(owner, cid, { maxOpens: 2, name: 'letter.txt' })
  expect(needsPassword).toBe(false)
  const [, key = ''] = url.split('#')
  const sent: string[] = []
  const visitor = createClient({
    network: network.profile,
    fetch: (input, init) => {
      sent.push(String(input), JSON.stringify(init))
      return fetch(input, init)
    },
  })
  expect(await inspectLink(visitor, url)).toMatchObject({ owner: owner.address, opensLeft: 2, needsPassword: false })
  // An unnecessary password does no harm.
  const opened = await openLink(visitor, url, { password: 'x' })
  expect(opened).toMatchObject({ cid, name: 'letter.txt', opensLeft: 1 })
  const plain = await decryptBytes(visitor, opened.cid, { masterKey: opened.masterKey })
  expect(new TextDecoder().decode(plain)).toBe('dear Ida')
  expect(sent.length).toBeGreaterThan(4)
  expect(sent.join('')).toContain(id)
  for (const part of [key, opened.masterKey]) expect(sent.join('')).not.toContain(part)

  // A profile may have the address with a trailing slash.
  const slashed = { ...owner, network: { ...network.profile, api: `${network.profile.api}/` } }
  const other = (await createLink(slashed, cid)).url
  expect(other.split('/link/')[0]).toBe(url.split('/link/')[0])
  // The CID and key are those that the owner sealed, whatever the service states.
  const { cid: planted } = await uploadEncryptedText(friend, 'planted')
  const lying = createClient({
    network: network.profile,
    fetch: async (input, init) => Response.json({ ...(await (await fetch(input, init)).json()), cid: planted }),
  })
  expect(await openLink(lying, other)).toMatchObject({ cid, masterKey: opened.masterKey })
  const otherKey = `${url.split('#')[0]}#${other.split('#')[1]}`
  await expect(openLink(visitor, otherKey)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  for (const wrong of [url.split('#')[0] ?? '', 'x', `${url}=`])
    await expect(openLink(visitor, wrong)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  await expect(createLink(friend, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  await expect(revokeLink(friend, id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await revokeLink(owner, id)).toMatchObject({ state: 'revoked', opens: 1 })
  for (const visit of [openLink, inspectLink])
    await expect(visit(visitor, url)).rejects.toMatchObject({ code: 'GONE', message: 'The link was revoked' })
})

test('detects a service that answers an encrypted upload with another CID', async () => {
  const { cid } = await uploadEncryptedText(owner, 'stored')
  await using liar = await listen((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify([{ Name: 'x', Hash: cid, Size: '0' }])))
  })
  const lied = { ...owner, network: { ...owner.network, upload: liar.url } }
  await expect(uploadEncryptedText(lied, 'sent')).rejects.toMatchObject({ code: 'CID_MISMATCH' })
})

test.each(['v1', 'v2'] as const)('uploads an encrypted file of format %s and reads it back', async (format) => {
  const plain = new Uint8Array(randomBytes(3_000_000))
  const path = join(folder, `${format}.bin`)
  writeFileSync(path, plain)
  const steps: number[] = []
  const { cid, keys, sizeBytes } = await uploadEncrypted(owner, path, {
    format,
    onProgress: ({ bytes }) => steps.push(bytes),
  })
  expect(keys).toEqual({ done: [1, 2, 3, 4, 5], pending: [], isEffective: true, withstands: 2 })
  expect(sizeBytes).toBe(plain.length)
  expect(steps.at(-1)).toBe(plain.length)
  const stored = await downloadBytes(owner, cid)
  expect(stored.length).toBeGreaterThan(plain.length)
  expect(Buffer.from(stored).includes(Buffer.from(plain.subarray(1000, 1032)))).toBe(false)
  expect(await decryptBytes(owner, cid)).toEqual(plain)
  const target = join(folder, `${format}.out`)
  expect(await decryptFile(owner, cid, target)).toMatchObject({ sizeBytes: plain.length })
  expect(new Uint8Array(readFileSync(target))).toEqual(plain)
  await expect(decryptFile(owner, cid, target)).rejects.toMatchObject({ code: 'FILE_EXISTS' })
})

/** A gateway that counts the bytes of ranges it sends. Breaks a response after `limits.bytes` of it, and all later ones. */
function countingGateway(limits: { bytes: number }, counted: { bytes: number }): Promise<Client & AsyncDisposable> {
  return openGateway(owner, async ({ url = '/', headers }, response) => {
    const answer = await fetch(`${owner.network.gateway}${url}`, { headers: { accept: headers.accept ?? '' } })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    const body = Buffer.from(await answer.arrayBuffer())
    if (url.includes('entity-bytes')) counted.bytes += Math.min(body.length, limits.bytes)
    if (body.length <= limits.bytes) response.end(body)
    else {
      response.write(body.subarray(0, limits.bytes), () => response.destroy())
      // The rest is not available either.
      limits.bytes = 0
    }
  })
}

test.each(['v1', 'v2'] as const)('resumes an interrupted download of format %s, verified', async (format) => {
  const bytes = new Uint8Array(randomBytes(12_000_000))
  const { cid } = await uploadEncryptedBytes(owner, bytes, { format })
  const { masterKey } = await getKey(owner, cid)
  const target = join(folder, `continued ${format}`)
  const limits = { bytes: 8_000_000 }
  const counted = { bytes: 0 }
  await using reader = await countingGateway(limits, counted)
  /** Downloads, and returns how many bytes of ranges the gateway sent. A response from the start is closed unread. */
  const download = async () => {
    counted.bytes = 0
    await decryptFile(reader, cid, target, { masterKey, overwrite: true })
    return counted.bytes
  }
  await expect(download()).rejects.toMatchObject({ code: 'DOWNLOAD_INCOMPLETE' })
  limits.bytes = Number.POSITIVE_INFINITY
  const left = readFileSync(`${target}.part`)
  expect(left.length).toBeGreaterThan(4_000_000)
  expect(left.equals(bytes.subarray(0, left.length))).toBe(true)

  // A changed byte: everything after it is fetched again.
  writeFileSync(
    `${target}.part`,
    left.map((byte, i) => (i === 4_000_000 ? byte ^ 1 : byte)),
  )
  const received = await download()
  expect(received).toBeGreaterThan(bytes.length - 4_000_000)
  expect(received).toBeLessThan(bytes.length - 4_000_000 + 2 * 1024 * 1024)
  expect(readFileSync(target).equals(bytes)).toBe(true)
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])

  // Complete files are kept, and others replaced.
  const { ino } = statSync(target)
  expect(await download()).toBeLessThan(2 * 1024 * 1024)
  expect(statSync(target).ino).toBe(ino)
  for (const at of [5, bytes.length - 1]) {
    writeFileSync(
      target,
      bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)),
    )
    await download()
    expect(readFileSync(target).equals(bytes), String(at)).toBe(true)
  }
  appendFileSync(target, 'x')
  await download()
  expect(readFileSync(target).equals(bytes)).toBe(true)
})

test('reads parts of a file of the second format, each verified', async () => {
  const plain = new Uint8Array(randomBytes(1_500_000))
  const { cid } = await uploadEncryptedBytes(owner, plain, { format: 'v2', chunkBytes: 65_536 })
  const file = await openSeekable(owner, cid)
  expect(file.sizeBytes).toBe(plain.length)
  // Also without the key, so anyone can.
  expect(await getDecryptedSize(createClient({ network: network.profile }), cid)).toBe(plain.length)
  for (const [from, length] of [
    [0, 10],
    [65_530, 20],
    [700_000, 200_000],
    [1_499_990, 100],
    [2_000_000, 5],
  ] as const)
    expect(Buffer.from(await file.read(from, length)).equals(plain.subarray(from, from + length)), String(from)).toBe(
      true,
    )
  await expect(openSeekable(owner, cid, { masterKey: '1'.repeat(64) })).rejects.toMatchObject({
    code: 'DECRYPTION_FAILED',
  })
  const { cid: first } = await uploadEncryptedText(owner, 'format one')
  await expect(openSeekable(owner, first)).rejects.toMatchObject({ code: 'NOT_ENCRYPTED' })
  const text = await openSeekable(owner, first, { acceptsFirstFormat: true })
  expect(text).toMatchObject({ sizeBytes: 10, header: undefined })
  expect(await getDecryptedSize(createClient({ network: network.profile }), first)).toBe(10)
  expect(new TextDecoder().decode(await text.read(7, 10))).toBe('one')
})

test('other accounts can read it while it is shared, and no longer once it is revoked', async () => {
  const { cid } = await uploadEncryptedText(owner, 'a secret')
  await expect(decryptBytes(friend, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED', message: 'Access Denied' })
  await expect(shareFile(friend, cid, [friend.address])).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  expect((await shareFile(owner, cid, [friend.address])).isEffective).toBe(true)
  expect(new TextDecoder().decode(await decryptBytes(friend, cid))).toBe('a secret')
  expect((await getConditions(friend, cid)).sharedTo).toEqual([friend.address])
  expect(await explainAccess(friend, cid)).toMatchObject({ isAllowed: true, by: 'shared' })
  await expect(explainAccess(friend, cid, { about: owner.address })).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  const shared = await Array.fromAsync(listKeyFiles(friend, 'recipient'))
  expect(shared.map((file) => file.cid)).toContain(cid)
  expect((await revokeAccess(owner, cid, [friend.address])).done).toEqual([1, 2, 3, 4, 5])
  await expect(decryptBytes(friend, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  expect(await explainAccess(owner, cid, { about: friend.address })).toMatchObject({ isAllowed: false, by: 'none' })
})

test('transfers a file, with and without its recipients', async () => {
  const { cid } = await uploadEncryptedText(owner, 'yours', { shareTo: [friend.address] })
  const other = await createKeyClient(network)
  await transferFile(owner, cid, other.address, { resetSharedTo: false })
  await expect(getKey(owner, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  expect(new TextDecoder().decode(await decryptBytes(friend, cid))).toBe('yours')
  // The old owner's repeated call changes nothing and is not an error; another account's is.
  expect((await transferFile(owner, cid, other.address, { resetSharedTo: false })).done).toHaveLength(5)
  await expect(transferFile(owner, cid, friend.address)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  await transferFile(other, cid, owner.address)
  await expect(getKey(friend, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
})

test('uploads a folder with one request and one key per file', async () => {
  const place = join(folder, 'tree')
  mkdirSync(join(place, 'a'), { recursive: true })
  const names = ['a/b.txt', 'a-b.txt', 'c.txt']
  for (const name of names) writeFileSync(join(place, name), `content of ${name}`)
  const results = await uploadEncryptedFolder(owner, place)
  expect(results.map(({ name }) => name).sort()).toEqual(['tree/a-b.txt', 'tree/a/b.txt', 'tree/c.txt'])
  for (const { cid, name } of results) {
    expect(new TextDecoder().decode(await decryptBytes(owner, cid))).toBe(`content of ${name.slice(5)}`)
  }
})

test('uploads nothing without a session, and releases nothing for a wrong key', async () => {
  await expect(uploadEncryptedText({ ...owner, keySession: undefined }, 'x')).rejects.toMatchObject({
    code: 'NO_SESSION',
  })
  const { cid } = await uploadEncryptedBytes(owner, new Uint8Array(100_000))
  const target = join(folder, 'wrong')
  await expect(decryptFile(owner, cid, target, { masterKey: '1'.repeat(64) })).rejects.toMatchObject({
    code: 'DECRYPTION_FAILED',
  })
  expect(existsSync(target)).toBe(false)
  expect(existsSync(`${target}.part`)).toBe(false)
})

test('an exported key set opens the file without any node', async () => {
  const { cid } = await uploadEncryptedText(owner, 'kept')
  const exported = JSON.parse(JSON.stringify(await exportKey(owner, cid)))
  expect(exported.shards).toHaveLength(5)
  const { masterKey } = recoverExported(exported)
  const bytes = await decryptBytes({ ...owner, keySession: undefined }, cid, { masterKey })
  expect(new TextDecoder().decode(bytes)).toBe('kept')
  expect(() => recoverExported({ ...exported, shards: exported.shards.slice(0, 2) })).toThrow()
})

test('opens and exports a key without commitments with three nodes, once its file confirms it', async () => {
  const { cid } = await uploadEncryptedText(owner, 'of a published client')
  const { masterKey } = await getKey(owner, cid)
  // As if saved without commitments: nodes have none to return, and two lost or damaged their shards.
  const legacy = (
    damaged: (node: number, key: string) => string | undefined,
    forged: Record<number, ReturnType<typeof commitShards>> = {},
  ): typeof owner => ({
    ...owner,
    fetch: async (input, init) => {
      const response = await owner.fetch(input, init)
      const node = /retrieveSharedKey\/(\d)/.exec(String(input instanceof Request ? input.url : input))?.[1]
      if (node === undefined || !response.ok) return response
      const { payload } = (await response.json()) as { payload: { key: string; index: string } }
      const key = damaged(Number(node), payload.key)
      const set = forged[Number(node)]
      if (key !== undefined)
        return Response.json({ payload: { ...payload, key }, ...(set === undefined ? {} : { set }) })
      const headers = { 'content-type': 'application/json', 'x-cairn-code': 'KEY_NOT_FOUND' }
      return new Response('{"message":"cid not found","data":null}', { status: 400, headers })
    },
  })
  const three = legacy((node, key) => (node > 3 ? undefined : key))
  expect((await getKey(three, cid)).masterKey).toBe(masterKey)
  expect(new TextDecoder().decode(await decryptBytes(three, cid))).toBe('of a published client')
  expect((await exportKey(three, cid)).shards).toHaveLength(3)
  const four = legacy((node, key) => (node === 5 ? undefined : node === 1 ? '1'.repeat(64) : key))
  expect(await getKey(four, cid)).toMatchObject({ masterKey, wrongNodes: [1] })
  const wrong = legacy((node, key) => (node > 3 ? undefined : node === 1 ? '1'.repeat(64) : key))
  await expect(getKey(wrong, cid)).rejects.toMatchObject({ code: 'SHARDS_INCONSISTENT' })
  await expect(getKey(three, cid, { confirm: () => false })).rejects.toMatchObject({ code: 'SHARDS_INCONSISTENT' })
  // Commitments that one or two nodes make up do not replace those that the others lack.
  const own = () => commitShards(generateKey().keyShards)
  const lying = legacy((node, key) => (node > 3 ? '1'.repeat(64) : key), { 4: own(), 5: own() })
  expect(await getKey(lying, cid)).toMatchObject({ masterKey, wrongNodes: [4, 5] })
  const one = legacy((node, key) => (node === 2 ? '1'.repeat(64) : key), { 2: own() })
  expect(await getKey(one, cid)).toMatchObject({ masterKey, wrongNodes: [2] })
})

test('a rotated file has another CID and key, and the same name and readers', async () => {
  const { cid } = await uploadEncryptedText(owner, 'old', { name: 'diary.txt', shareTo: [friend.address] })
  const rotated = await rotateFile(owner, cid)
  const { retired } = rotated
  expect(rotated.cid).not.toBe(cid)
  expect(rotated.uploaded).toMatchObject({ cid: rotated.cid, name: 'diary.txt' })
  expect(await getFileInfo(owner, rotated.cid)).toMatchObject({ fileName: 'diary.txt' })
  expect(retired.isEffective).toBe(true)
  expect(new TextDecoder().decode(await decryptBytes(friend, rotated.cid))).toBe('old')
  await expect(getKey(friend, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  expect((await getKeyStatus(owner, cid)).agreed).toMatchObject({ state: 'retired', successor: rotated.cid })
  // The service has no name for a deleted upload; its blocks stay for a while.
  await deleteFile(owner, { cid: rotated.cid })
  const again = await rotateFile(owner, rotated.cid, { format: 'v2' })
  expect(new TextDecoder().decode(await decryptBytes(friend, again.cid))).toBe('old')
})

test.each(['v1', 'v2'] as const)('a rotated file keeps its format %s, unless another is requested', async (format) => {
  const formatOf = async (cid: string) => (isFormatV2(await downloadBytes(owner, cid)) ? 'v2' : 'v1')
  const { cid } = await uploadEncryptedText(owner, `kept in ${format}`, { format })
  const rotated = await rotateFile(owner, cid)
  expect([await formatOf(cid), await formatOf(rotated.cid)]).toEqual([format, format])
  const other = format === 'v1' ? 'v2' : 'v1'
  const changed = await rotateFile(owner, rotated.cid, { format: other })
  expect(await formatOf(changed.cid)).toBe(other)
  expect(new TextDecoder().decode(await decryptBytes(owner, changed.cid))).toBe(`kept in ${format}`)
})

test('a rotated file without a name does not get the CID of the old one as its name', async () => {
  const { cid } = await uploadEncryptedText(owner, 'nameless', { name: '' })
  expect(await getFileInfo(owner, cid)).toMatchObject({ fileName: cid })
  const rotated = await rotateFile(owner, cid)
  expect(await getFileInfo(owner, rotated.cid)).toMatchObject({ fileName: rotated.cid })
})

// The SDK sends the smaller one only with its end, unless it is requested earlier.
test.each([10, 300_000])(
  'with three unresponsive nodes, an upload of %i bytes reports that its key could not be saved',
  async (sizeBytes) => {
    await using silent = await listen(() => undefined)
    await using slow = await createTestNetwork({ CAIRN_UPLOAD_RATE_WINDOW_SECONDS: '1' })
    const { profile } = slow
    const client = await createKeyClient(slow)
    const keyNodes = profile.keyNodes?.map((url, at) => (at < 3 ? silent.url : url)) ?? []
    const hanging = { ...client, network: { ...profile, keyNodes } }
    // The service waits for the end only for a limited time.
    await expect(uploadEncryptedBytes(hanging, new Uint8Array(sizeBytes))).rejects.toMatchObject({
      code: 'KEY_SAVE_FAILED',
      details: { name: 'blob', code: 'KEY_NODES_UNAVAILABLE' },
    })
    expect(await Array.fromAsync(listFiles(client))).toEqual([])
  },
)

test('saves no key for an upload to an unreachable service', async () => {
  const before = (await Array.fromAsync(listKeyFiles(owner, 'owner'))).length
  const { network } = owner
  const away = { ...owner, network: { ...network, upload: 'http://127.0.0.1:1' } }
  await expect(uploadEncryptedText(away, 'not sent')).rejects.toMatchObject({ code: 'NETWORK_ERROR' })
  expect(await Array.fromAsync(listKeyFiles(owner, 'owner'))).toHaveLength(before)
})

test('stores an upload once if a network delivers it twice', async () => {
  let requests = 0
  await using proxy = await startFaultyProxy(owner.network.upload, () =>
    requests++ === 0 ? { kind: 'repeat request' } : undefined,
  )
  const twice = { ...owner, network: { ...owner.network, upload: proxy.url } }
  const { cid } = await uploadEncryptedText(twice, 'delivered twice', { name: 'twice.txt' })
  const listed = await Array.fromAsync(listFiles(owner, { search: 'twice.txt' }))
  expect(listed.map((row) => row.cid)).toEqual([cid])
})

test('stores an upload once if its answer is lost', async () => {
  const mine = await createKeyClient(network)
  let lost = 0
  await using proxy = await listen((from, to) => {
    const { pathname, search } = new URL(from.url ?? '/', network.profile.upload)
    const onward = request(new URL(pathname + search, network.profile.upload), {
      method: from.method,
      headers: from.headers,
    })
    onward.on('response', (answer) => {
      if (lost++ > 0) {
        to.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(to)
      } else answer.resume().on('end', () => to.destroy())
    })
    from.pipe(onward)
  })
  const shaky = { ...mine, network: { ...mine.network, upload: proxy.url } }
  const phases: string[] = []
  const onProgress = ({ phase }: { phase: string }) => phases.push(phase)
  const { cid, keys } = await uploadEncryptedText(shaky, 'dear diary', { onProgress })
  expect(keys).toMatchObject({ done: [1, 2, 3, 4, 5] })
  expect(phases.at(-1)).toBe('send')
  lost = 0
  mkdirSync(join(folder, 'lost'))
  writeFileSync(join(folder, 'lost', 'a.txt'), 'one')
  const [file] = await uploadEncryptedFolder(shaky, join(folder, 'lost'))
  expect(lost).toBe(1)
  const listed = await Array.fromAsync(listFiles(mine))
  expect(listed.map((row) => row.cid).toSorted()).toEqual([cid, file?.cid].toSorted())
  expect(new TextDecoder().decode(await decryptBytes(mine, cid))).toBe('dear diary')
})

test('everything works with two nodes offline, and repair brings them up to date', async () => {
  await using own = await createTestNetwork()
  const mine = await createKeyClient(own)
  const { cid } = await uploadEncryptedText(mine, 'robust')
  const downUrls = [...(own.profile.keyNodes ?? [])]
  const keyNodes = downUrls.map((url, i) => (i < 2 ? 'http://127.0.0.1:9' : url))
  const half = { ...mine, network: { ...mine.network, keyNodes } }
  const result = await shareFile(half, cid, [friend.address])
  expect(result).toMatchObject({ done: [3, 4, 5], isEffective: true })
  expect(result.pending.map(({ node }) => node)).toEqual([1, 2])
  expect((await getKey(half, cid)).failedNodes.map(({ node }) => node)).toEqual([1, 2])
  const before = await getKeyStatus(mine, cid)
  expect(before.health).toBe('usable')
  // Nodes 1 and 2 missed the change; three peers state it alike, so they adopt it.
  const { after, nodes } = await repairKey(mine, cid)
  expect(nodes.slice(0, 2).map(({ outcome }) => outcome)).toEqual(['adopted', 'adopted'])
  expect(after.health).toBe('whole')
})

test('recognises and decrypts an encrypted file by its CID in every form', async () => {
  const { cid } = await uploadEncryptedText(owner, 'dear Ida', { shareTo: [friend.address] })
  for (const base of [base58btc, base32upper, base16, base16upper, base36]) {
    const form = CID.parse(cid).toString(base.encoder)
    // For the owner, the listing says so; for others, the key nodes.
    for (const client of [owner, friend]) {
      expect(await isEncrypted(client, form), form).toBe(true)
      expect(new TextDecoder().decode(await decryptBytes(client, form)), form).toBe('dear Ida')
    }
    expect(await downloadBytes(owner, form), form).toHaveLength(8 + 44)
  }
})
