// Modes and times of UnixFS 1.5, as Kubo 0.43.0 shows the same blocks. The expected texts are its answers.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

let storage: TestStorage
let key: string
beforeAll(async () => {
  storage = await startTestStorage()
  key = await storage.createKey()
})
afterAll(() => storage?.[Symbol.asyncDispose]())

async function post(path: string, part?: Uint8Array<ArrayBuffer> | string): Promise<string> {
  const body = new FormData()
  if (part !== undefined) body.append('file', new Blob([part]))
  const init = part === undefined ? {} : { body }
  return (await storage.call(`/api/v0/${path}`, { method: 'POST', ...bearer(key), ...init })).body
}

type Case = { what: string; block: string; stat: string; entry: string }

const noTime = '"ModTime":"0001-01-01T00:00:00Z"'
const cases: readonly Case[] = [
  {
    what: 'a file with half a second',
    block: '0a18080212026869180238ed03420b08f2c1e88006150065cd1d',
    stat: '"Size":2,"CumulativeSize":26,"Blocks":0,"Type":"file","Mtime":1612325106,"MtimeNsecs":500000000,"Mode":"0755"',
    entry: '"Size":2,"Type":2,"Target":"","Mode":493,"ModTime":"2021-02-03T04:05:06.5Z"',
  },
  {
    what: 'a file that runs as its owner, of 1970',
    block: '0a0f080212026869180238ed1342020800',
    stat: '"Size":2,"CumulativeSize":17,"Blocks":0,"Type":"file","Mode":"40000755"',
    entry: '"Size":2,"Type":2,"Target":"","Mode":8389101,"ModTime":"1970-01-01T00:00:00Z"',
  },
  {
    what: 'a file without permissions from before 1970',
    block: '0a1708021202686918023800420b08ffffffffffffffffff01',
    stat: '"Size":2,"CumulativeSize":25,"Blocks":0,"Type":"file","Mtime":-1',
    entry: '"Size":2,"Type":2,"Target":"","Mode":0,"ModTime":"1969-12-31T23:59:59Z"',
  },
  {
    what: 'all bits, and the time that Go takes for none',
    block: '0a18080212026869180238ff1f420b088092b8c398feffffff01',
    stat: '"Size":2,"CumulativeSize":26,"Blocks":0,"Type":"file","Mode":"64000777"',
    entry: `"Size":2,"Type":2,"Target":"","Mode":13631999,${noTime}`,
  },
  {
    what: 'a folder',
    block: '0a05080138ed03',
    stat: '"Size":0,"CumulativeSize":7,"Blocks":0,"Type":"directory","Mode":"20000000755"',
    entry: `"Size":0,"Type":1,"Target":"","Mode":2147484141,${noTime}`,
  },
  {
    what: 'a folder with special bits only',
    block: '0a09080138801c42020807',
    stat: '"Size":0,"CumulativeSize":11,"Blocks":0,"Type":"directory","Mtime":7,"Mode":"20064000000"',
    entry: '"Size":0,"Type":1,"Target":"","Mode":2161115136,"ModTime":"1970-01-01T00:00:07Z"',
  },
  {
    what: 'a symbolic link',
    block: '0a1508041205612e74787438ff03420708051501000000',
    stat: '"Size":5,"CumulativeSize":23,"Blocks":0,"Type":"file","Mtime":5,"MtimeNsecs":1,"Mode":"1000000777"',
    entry: '"Size":5,"Type":4,"Target":"a.txt","Mode":134218239,"ModTime":"1970-01-01T00:00:05.000000001Z"',
  },
  {
    what: 'a symbolic link without a mode',
    block: '0a0908041205612e747874',
    stat: '"Size":5,"CumulativeSize":11,"Blocks":0,"Type":"file","Mode":"1000000777"',
    entry: `"Size":5,"Type":4,"Target":"a.txt","Mode":0,${noTime}`,
  },
]

test.each(cases)('shows the mode and time of $what', async ({ block, stat, entry }) => {
  const put: { Key: string } = JSON.parse(await post('block/put?cid-codec=dag-pb', Buffer.from(block, 'hex')))
  const cid = put.Key
  expect(await post(`files/stat?arg=/ipfs/${cid}`)).toBe(`{"Hash":"${cid}",${stat}}`)
  const node = { Data: { '/': { bytes: 'CAE' } }, Links: [{ Hash: { '/': cid }, Name: 'f', Tsize: 9 }] }
  const folder: { Cid: { '/': string } } = JSON.parse(await post('dag/put?store-codec=dag-pb', JSON.stringify(node)))
  const root = folder.Cid['/']
  const line = (fields: string) => `{"Objects":[{"Hash":"${root}","Links":[{"Name":"f","Hash":"${cid}",${fields}}]}]}\n`
  expect(await post(`ls?arg=${root}`)).toBe(line(entry))
  expect(await post(`ls?arg=${root}&stream=true`)).toBe(line(entry))
  const unread = await post(`ls?arg=${root}&size=false&resolve-type=false`)
  expect(unread).toBe(line(`"Size":0,"Type":0,"Target":"","Mode":0,${noTime}`))
})

test('shows a time that Go cannot write as none, instead of ending the list', async () => {
  const block = Buffer.from('0a15080212026869180238a483024207088083d1ffaf07', 'hex')
  const { Key: cid }: { Key: string } = JSON.parse(await post('block/put?cid-codec=dag-pb', block))
  expect(await post(`files/stat?arg=/ipfs/${cid}`)).toContain('"Mtime":253402300800,"Mode":"0644"')
  const node = { Data: { '/': { bytes: 'CAE' } }, Links: [{ Hash: { '/': cid }, Name: 'f', Tsize: 9 }] }
  const folder: { Cid: { '/': string } } = JSON.parse(await post('dag/put?store-codec=dag-pb', JSON.stringify(node)))
  expect(await post(`ls?arg=${folder.Cid['/']}`)).toContain(`"Mode":420,${noTime}`)
})
