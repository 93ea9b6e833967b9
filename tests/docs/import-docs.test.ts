// The examples of the page about imports.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { uploadBytes } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { createBucket, startImportNetworks, writeShards } from '../e2e/import-networks.ts'
import { createKeyClient } from '../fixtures.ts'
import { openExamples } from './run-example.ts'

test('the examples of the page run as printed, except for the addresses of the other services', async () => {
  await using networks = await startImportNetworks({ environment: { CAIRN_S3_API_PORT: '0' } })
  const { source, target, there, cids } = networks
  const objects = ['a/readme.md', 'b/readme.md', 'empty.txt', 'film.mp4']
  await createBucket(
    source,
    'moving',
    objects.map((key) => [`docs/${key}`, key, 'text/plain'] as const),
  )
  const owner = await createKeyClient(source)
  const { cid } = await uploadBytes(owner, randomBytes(700), { name: 'photo.jpg' })
  const created = await fetch(`${source.profile.api}/pins`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ cid: cids.small, name: 'pinned' }),
  })
  expect(created.status).toBe(202)
  const { endpoint = '', accessKeyId = '', secretAccessKey = '' } = source.profile.s3 ?? {}
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/how-to/import.md'), 'utf8')
    .replaceAll('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy', cid)
    .replaceAll('https://ipfs.io', source.profile.gateway)
    .replaceAll('https://s3.example.com', endpoint)
    .replace('AWS_ACCESS_KEY_ID=…', `AWS_ACCESS_KEY_ID=${accessKeyId}`)
    .replace('AWS_SECRET_ACCESS_KEY=…', `AWS_SECRET_ACCESS_KEY=${secretAccessKey}`)
    .replaceAll('s3://pictures/2024/', 's3://moving/docs/')
    .replaceAll('https://api.example.com', source.profile.api)
    .replaceAll(
      'import lighthouse ',
      `import lighthouse --source ${source.profile.api} --source-keys ${source.profile.keyRouter} --gateway ${source.profile.gateway} `,
    )
  using examples = openExamples(page, target)
  writeFileSync(join(examples.path, 'lighthouse.key'), owner.apiKey ?? '')
  writeFileSync(join(examples.path, 'pinning.key'), owner.apiKey ?? '')
  expect(await examples.run('import cids list.csv')).toContain('1 item  1 uploaded')
  expect(await examples.run('import s3://')).toContain('4 items  4 uploaded')
  expect(await examples.run('import lighthouse')).toContain('2 items  1 uploaded')
  expect(await examples.run('import pins')).toContain('1 item  0 uploaded')
  mkdirSync(join(examples.path, 'storacha-export'))
  await writeShards(there, cids.folder, join(examples.path, 'storacha-export'), 1)
  writeFileSync(join(examples.path, 'roots.csv'), `${cids.folder},holiday\n`)
  expect(await examples.run('import cars storacha-export')).toContain('1 item  1 uploaded')
})
