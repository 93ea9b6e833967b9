import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Schema } from '../../db/schema.ts'
import { describeOnDatabases } from '../../on-databases.fixture.ts'
import { startTestS3, type TestS3 } from '../s3.fixture.ts'
import { signedFetch } from '../signed-fetch.fixture.ts'
import { selectVersions } from './select-versions.ts'
import { listVersionsOperation } from './version-operations.ts'

const textsOf = (xml: string, name: string) =>
  Array.from(xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g')), ([, text = '']) => text)

describeOnDatabases('versions with a delimiter, on %s:', (newDatabase) => {
  let s3: TestS3
  const folderKeys = Array.from({ length: 60 }, (_, at) => `folder/${String(at).padStart(3, '0')}`)
  beforeAll(async () => {
    s3 = await startTestS3(await newDatabase())
    await signedFetch(s3, '/many', { method: 'PUT' })
    const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
    await signedFetch(s3, '/many?versioning=', { method: 'PUT', body })
    for (const key of ['a', 'a', ...folderKeys, 'folder0', 'other/1', 'other/2', 'z']) {
      await signedFetch(s3, `/many/${key}`, { method: 'PUT', body: key })
    }
    for (const key of ['folder/001', 'z']) await signedFetch(s3, `/many/${key}`, { method: 'DELETE' })
  })
  afterAll(() => s3?.[Symbol.asyncDispose]())

  test.each([1, 2, 3, 1000])('pages of %i have every version and common prefix once', async (limit) => {
    const keys: string[] = []
    const prefixes: string[] = []
    for (let more = ''; ; ) {
      const { body } = await signedFetch(s3, `/many?versions=&delimiter=%2F&max-keys=${limit}${more}`)
      keys.push(...textsOf(body, 'Key'))
      prefixes.push(
        ...textsOf(body, 'CommonPrefixes')
          .concat(textsOf(body, 'Prefix'))
          .filter((one) => one !== ''),
      )
      if (!body.includes('<IsTruncated>true')) break
      const [key = ''] = textsOf(body, 'NextKeyMarker')
      const [id = ''] = textsOf(body, 'NextVersionIdMarker')
      more = `&key-marker=${encodeURIComponent(key)}&version-id-marker=${id}`
    }
    expect(keys.toSorted()).toEqual(['a', 'a', 'folder0', 'z', 'z'])
    expect(prefixes).toEqual(['folder/', 'other/'])
  })

  test('the id of a version is a marker only with its key', async () => {
    const { status, body } = await signedFetch(s3, '/many?versions=&version-id-marker=x')
    expect([status, textsOf(body, 'Code')]).toEqual([400, ['InvalidArgument']])
  })

  test('reads versions and delete markers together', async () => {
    let isDeleted = false
    await signedFetch(s3, '/few', { method: 'PUT' })
    const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
    await signedFetch(s3, '/few?versioning=', { method: 'PUT', body })
    await signedFetch(s3, '/few/k', { method: 'PUT', body: 'k' })
    const read: Kysely<Schema> = s3.context.db.read.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if (!isDeleted) await signedFetch(s3, '/few/k', { method: 'DELETE' })
        isDeleted = true
        return result
      },
    })
    const list = async () => {
      const rows = await selectVersions(read, 'few', 'k', { from: '' }, 10)
      return rows.map((version) => [version.kind, version.kind === 'object' ? version.row.is_latest : version.isLatest])
    }
    expect(await list()).toEqual([['object', 1]])
    expect(await list()).toEqual([
      ['marker', true],
      ['object', 0],
    ])
  })

  test('the version null is a marker like the id at the end of a page', async () => {
    const put = (body: string) => signedFetch(s3, '/nulls/k', { method: 'PUT', body })
    const setVersioning = async (status: string) => {
      const body = `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`
      await signedFetch(s3, '/nulls?versioning=', { method: 'PUT', body })
    }
    const listAfter = async (id: string) => {
      const { body } = await signedFetch(s3, `/nulls?versions=&key-marker=k&version-id-marker=${id}`)
      return textsOf(body, 'VersionId')
    }
    await signedFetch(s3, '/nulls', { method: 'PUT' })
    await put('first')
    await setVersioning('Enabled')
    await put('second')
    const [second = ''] = textsOf((await signedFetch(s3, '/nulls?versions=')).body, 'VersionId')
    expect(await listAfter('null')).toEqual([])
    expect(await listAfter(second)).toEqual(['null'])
    await setVersioning('Suspended')
    await put('third')
    // The newest is the version null now.
    expect(await listAfter('null')).toEqual([second])
    await signedFetch(s3, '/nulls/k', { method: 'DELETE' })
    expect(await listAfter('null')).toEqual([second])
  })

  test('a common prefix costs one lookup', async () => {
    const { context, address } = s3
    let rowCount = 0
    const read: Kysely<Schema> = context.db.read.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        rowCount += result.rows.length
        return result
      },
    })
    const query = new Map([
      ['versions', ''],
      ['delimiter', '/'],
    ])
    const answer = await listVersionsOperation({
      context: { ...context, db: { ...context.db, read } },
      request: {
        bucket: 'many',
        key: '',
        isSubdomain: false,
        method: 'GET',
        raw: { method: 'GET', path: '/many', query: '', headerNames: [], header: () => [] },
        query,
        headerNames: [],
        header: () => undefined,
      },
      caller: { accessKeyId: '', secretAccessKeys: [], address, scopes: ['files:read'], rules: [] },
      body: {
        feed: async () => undefined,
        payload: { kind: 'unsigned' },
        signing: { signer: { scope: '', sign: () => '', signText: () => '' }, time: '', seedSignature: '' },
        digests: {
          begin: () => {
            throw new TypeError('a listing has no body')
          },
        },
        header: () => undefined,
      },
      region: 'us-east-1',
      signal: new AbortController().signal,
      id: '',
      logFailure: () => undefined,
    })
    expect(textsOf(String(answer.body), 'Key')).toHaveLength(5)
    expect(rowCount).toBeLessThan(folderKeys.length)
  })
})
