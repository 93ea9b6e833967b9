// The command line imports CARs: several roots, uploads over several CARs, exports of other services.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { downloadBytes, downloadCar } from '@cairn/sdk'
import { CarReader, CarWriter } from '@ipld/car'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ImportNetworks, listImported, startImportNetworks, writeShards } from './import-networks.ts'

let networks: ImportNetworks
beforeAll(async () => {
  networks = await startImportNetworks()
})
afterAll(() => networks?.[Symbol.asyncDispose]())

test('imports every root, also of uploads spread over several CARs, and reports damaged content', async () => {
  const { there, cids, large, folder, runImport } = networks
  const cars = join(folder, 'cars')
  mkdirSync(join(cars, 'deep'), { recursive: true })
  await writeShards(there, cids.large, cars, 3)
  const two = CarWriter.create([CID.parse(cids.small), CID.parse(cids.folder)])
  const written = Array.fromAsync(two.out)
  for (const cid of [cids.small, cids.folder]) {
    const bytes = Buffer.concat(await Array.fromAsync(downloadCar(there, cid)))
    for await (const block of (await CarReader.fromBytes(bytes)).blocks()) await two.writer.put(block)
  }
  await two.writer.close()
  writeFileSync(join(cars, 'deep', 'two.car'), Buffer.concat(await written))
  const whole = Buffer.concat(await Array.fromAsync(downloadCar(there, cids.secret)))
  writeFileSync(join(cars, 'secret.car'), whole)

  const { code, summary, client } = await runImport(['cars', 'cars'])
  expect([code, summary]).toEqual([0, expect.objectContaining({ items: 4, uploaded: 4, missing: 0 })])
  expect(await listImported(client)).toEqual(
    [
      [cids.large, 'shard-2', false],
      [cids.small, cids.small, false],
      [cids.folder, cids.folder, false],
      [cids.secret, 'secret', false],
    ].sort(),
  )
  expect(await downloadBytes(client, cids.large)).toEqual(large)

  // The blocks before the damage count, and the root without all of its blocks is not kept.
  const bytes = readFileSync(join(cars, 'shard-0.car'))
  writeFileSync(join(cars, 'shard-0.car'), bytes.subarray(0, bytes.length - 10))
  whole[whole.length - 1] = (whole.at(-1) ?? 0) ^ 1
  writeFileSync(join(cars, 'secret.car'), whole)
  const damaged = await runImport(['cars', 'cars'])
  expect([damaged.code, damaged.summary]).toEqual([8, expect.objectContaining({ uploaded: 2, missing: 3 })])
  expect(damaged.items.map(({ id, error }) => [id, error?.code]).filter(([, why]) => why !== undefined)).toEqual(
    expect.arrayContaining([
      [join('cars', 'shard-0.car'), 'INVALID_CAR'],
      [cids.large, 'BLOCK_NOT_FOUND'],
      [cids.secret, 'BLOCK_HASH_MISMATCH'],
    ]),
  )
  expect((await listImported(damaged.client)).map(([cid]) => cid)).toEqual([cids.small, cids.folder].sort())
})

test('imports roots that no CAR lists from a list, with names and the flag of encrypted content', async () => {
  const { there, cids, folder, runImport } = networks
  const cars = join(folder, 'rootless')
  mkdirSync(cars)
  await writeShards(there, cids.large, cars, 2)
  rmSync(join(cars, 'shard-1.car'))
  const { writer, out } = CarWriter.create([])
  const written = Array.fromAsync(out)
  const bytes = Buffer.concat(await Array.fromAsync(downloadCar(there, cids.secret)))
  for await (const block of (await CarReader.fromBytes(bytes)).blocks()) await writer.put(block)
  await writer.close()
  writeFileSync(join(cars, 'rest.car'), Buffer.concat(await written))
  writeFileSync(join(folder, 'roots.csv'), `cid,name,encrypted\n${cids.secret},diary,true\n`)
  const lost = await runImport(['cars', 'rootless'])
  expect([lost.code, JSON.parse(lost.err).error.message]).toEqual([2, 'No CAR names a root'])
  const args = ['cars', 'rootless', '--roots', 'roots.csv']
  const dry = await runImport([...args, '--dry-run'])
  expect([dry.code, dry.items]).toEqual([0, [expect.objectContaining({ status: 'listed', cid: cids.secret })]])
  const { code, client } = await runImport(args)
  expect([code, await listImported(client)]).toEqual([0, [[cids.secret, 'diary', true]]])
})

test('imports an export in the layout of Storacha: shards without roots, and the list of uploads beside them', async () => {
  const { there, cids, large, folder, runImport } = networks
  const path = join(folder, 'storacha')
  mkdirSync(join(path, 'shards'), { recursive: true })
  const roots = [cids.large, cids.folder, cids.small]
  // Shards are filled in the order of the blocks, so that they end within an upload.
  const blocks: { cid: CID; bytes: Uint8Array }[] = []
  for (const cid of roots) {
    const bytes = Buffer.concat(await Array.fromAsync(downloadCar(there, cid)))
    blocks.push(...(await Array.fromAsync((await CarReader.fromBytes(bytes)).blocks())).toReversed())
  }
  for (let i = 0; i < blocks.length; i += 5) {
    const { writer, out } = CarWriter.create([])
    const written = Array.fromAsync(out)
    for (const block of blocks.slice(i, i + 5)) await writer.put(block)
    await writer.close()
    writeFileSync(join(path, 'shards', `bagbaiera${i}.car`), Buffer.concat(await written))
  }
  const lines = roots.map((root) => JSON.stringify({ root: { '/': root }, shards: [{ '/': 'bagbaiera0' }] }))
  writeFileSync(join(path, 'uploads.json'), lines.join('\n'))
  const { code, summary, client, err } = await runImport(['cars', 'storacha'])
  expect([code, summary]).toEqual([0, expect.objectContaining({ items: 3, uploaded: 3, missing: 0 })])
  expect(err).not.toContain('error')
  expect(await listImported(client)).toEqual(roots.map((cid) => [cid, cid, false]).sort())
  expect(await downloadBytes(client, cids.large)).toEqual(large)
})
