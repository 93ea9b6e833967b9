import { encodeCarFrame, encodeCarHeader, importProfiles } from '@cairn/unixfs'
import { CID } from 'kubo-rpc-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestGateway } from '../../services/storage/src/gateway/test-gateway.fixture.ts'
import { patternedBytes } from './file-tree.ts'
import { type GatewayRequest, requestGateway } from './gateway-requests.ts'
import { type Kubo, startKubo } from './kubo.ts'

const large = Buffer.concat([...patternedBytes(600_000, 33)])

const ours = createTestGateway({ hosts: ['localhost'] })
let kubo: Kubo
let ourUrl: string
let file: CID
let folder: CID
let site: CID
let old: CID

beforeAll(async () => {
  kubo = await startKubo()
  file = await ours.addFile(large)
  folder = await ours.addFolder({
    'hello.txt': 'hello world',
    'ü a+b%20.txt': 'odd name',
    'large.bin': large,
    'deep/er/page.html': '<p>page</p>',
    'data.json': '{"a":1}',
    link: { target: 'hello.txt' },
  })
  site = await ours.addFolder({
    'index.html': '<h1>index</h1>',
    'style.css': 'p{}',
    'sub/index.html': '<h1>sub</h1>',
    '404.html': '<h1>not here</h1>',
  })
  old = await ours.addFile('old', importProfiles.v0)
  const blocks = [encodeCarHeader([])]
  for (const [key, bytes] of ours.blocks) {
    // Kubo stores by multihash only, so any codec refers to the block: here version 1, raw.
    const cid = CID.decode(Buffer.from(`0155${key}`, 'hex'))
    blocks.push(encodeCarFrame(cid, bytes.length), bytes)
  }
  await kubo.run(['dag', 'import', '--pin-roots=false', '--allow-big-block'], blocks)
  ourUrl = await ours.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await ours.app.close()
  await kubo?.[Symbol.asyncDispose]()
})

const requests: Record<string, () => GatewayRequest> = {
  'a file': () => ({ path: `/ipfs/${file}` }),
  'a file by its head': () => ({ path: `/ipfs/${file}`, method: 'HEAD' }),
  'a file in a folder': () => ({ path: `/ipfs/${folder}/hello.txt` }),
  'a file by its old CID': () => ({ path: `/ipfs/${old}` }),
  'an odd name': () => ({ path: `/ipfs/${folder}/${encodeURIComponent('ü a+b%20.txt')}` }),
  'a page below': () => ({ path: `/ipfs/${folder}/deep/er/page.html` }),
  JSON: () => ({ path: `/ipfs/${folder}/data.json` }),
  'a name to save as': () => ({ path: `/ipfs/${file}?filename=my%20file.bin&download=true` }),
  'a name that tells the type': () => ({ path: `/ipfs/${file}?filename=photo.jpg` }),
  'the first bytes': () => ({ path: `/ipfs/${file}`, headers: { range: 'bytes=0-9' } }),
  'bytes across blocks': () => ({ path: `/ipfs/${file}`, headers: { range: 'bytes=262140-262150' } }),
  'the last bytes': () => ({ path: `/ipfs/${file}`, headers: { range: 'bytes=-7' } }),
  'bytes from a place on': () => ({ path: `/ipfs/${file}`, headers: { range: 'bytes=599990-' } }),
  'bytes beyond the end': () => ({ path: `/ipfs/${file}`, headers: { range: 'bytes=700000-' } }),
  'a file I have': () => ({ path: `/ipfs/${file}`, headers: { 'if-none-match': `"${file}"` } }),
  'a file I have, weakly': () => ({ path: `/ipfs/${file}`, headers: { 'if-none-match': `W/"${file}"` } }),
  'another than I have': () => ({ path: `/ipfs/${file}`, headers: { 'if-none-match': '"other"' } }),
  'a folder without slash that has an index': () => ({ path: `/ipfs/${site}` }),
  'a folder with an index': () => ({ path: `/ipfs/${site}/` }),
  'a folder below with an index': () => ({ path: `/ipfs/${site}/sub/` }),
  'a folder below without slash': () => ({ path: `/ipfs/${site}/sub?x=1` }),
  'a name that is not there': () => ({ path: `/ipfs/${folder}/nothing` }),
  'a file taken for a folder': () => ({ path: `/ipfs/${folder}/hello.txt/more` }),
  'no CID': () => ({ path: '/ipfs/notacid' }),
  'a raw block by query': () => ({ path: `/ipfs/${file}?format=raw` }),
  'a raw block by Accept': () => ({
    path: `/ipfs/${folder}/hello.txt`,
    headers: { accept: 'application/vnd.ipld.raw' },
  }),
  'a CAR': () => ({ path: `/ipfs/${folder}?format=car` }),
  'a CAR of a path, entity only': () => ({ path: `/ipfs/${folder}/large.bin?format=car&dag-scope=entity` }),
  'a CAR of one block': () => ({ path: `/ipfs/${folder}/deep?format=car&dag-scope=block` }),
  'a CAR of some bytes': () => ({ path: `/ipfs/${file}?format=car&dag-scope=entity&entity-bytes=262144:300000` }),
  'a CAR of a name that is not there': () => ({ path: `/ipfs/${folder}/deep/nothing/more?format=car` }),
  'a CAR of a file taken for a folder': () => ({ path: `/ipfs/${folder}/hello.txt/more?format=car&dag-scope=entity` }),
  'a folder as dag-json': () => ({ path: `/ipfs/${folder}?format=dag-json` }),
  'a TAR': () => ({ path: `/ipfs/${folder}/deep?format=tar`, bytesMayDiffer: true }),
  'an unknown Accept falls back': () => ({ path: `/ipfs/${folder}/hello.txt`, headers: { accept: 'text/unknown' } }),
  'only what is cached': () => ({ path: `/ipfs/${file}`, headers: { 'cache-control': 'only-if-cached' } }),
  'only what is cached, which is not there': () => ({
    path: '/ipfs/bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyka',
    headers: { 'cache-control': 'only-if-cached' },
  }),
  'another path on localhost': () => ({ path: `/ipfs/${folder}/hello.txt?x=1`, headers: { host: 'localhost:8080' } }),
  'an old CID on localhost': () => ({ path: `/ipfs/${old}`, headers: { host: 'localhost:8080' } }),
  'an origin of its own': () => ({ path: '/hello.txt', headers: { host: `${folder}.ipfs.localhost:8080` } }),
  'a page of an origin': () => ({ path: '/', headers: { host: `${site}.ipfs.localhost:8080` } }),
  'a folder of an origin, without slash': () => ({ path: '/sub', headers: { host: `${site}.ipfs.localhost:8080` } }),
  'nothing in an origin': () => ({ path: '/no/thing', headers: { host: `${folder}.ipfs.localhost:8080` } }),
  'a path within an origin': () => ({ path: `/ipfs/${file}`, headers: { host: `${site}.ipfs.localhost:8080` } }),
  'no CID as origin': () => ({ path: '/', headers: { host: 'nocid.ipfs.localhost:8080' } }),
  'a block of an origin': () => ({ path: '/hello.txt?format=raw', headers: { host: `${folder}.ipfs.localhost:8080` } }),
  'a service worker': () => ({ path: `/ipfs/${file}`, headers: { 'service-worker': 'script' } }),
}

describe('our gateway answers like the gateway of Kubo', () => {
  it.each(Object.entries(requests))('%s', async (_name, request) => {
    const theirs = await requestGateway(kubo.gatewayUrl, request())
    expect(await requestGateway(ourUrl, request())).toEqual(theirs)
  })
})

it('Kubo imports a CAR of our gateway', async () => {
  await using other = await startKubo()
  const car = await fetch(`${ourUrl}/ipfs/${folder}?format=car`)
  await other.run(['dag', 'import'], new Uint8Array(await car.arrayBuffer()))
  expect((await other.run(['cat', `${folder}/large.bin`])).equals(large)).toBe(true)
})
