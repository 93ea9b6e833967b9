// Random sequences of calls against a model: what a bucket answers does not depend on how it came to its state.
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compareBytes } from '../../content/compare-bytes.ts'
import { describeOnDatabases } from '../../on-databases.fixture.ts'
import { startTestS3, type TestS3 } from '../s3.fixture.ts'

type Versioning = 'Enabled' | 'Suspended'
/** A version, newest first in its key; without a body it is a delete marker. The ids of overwritten versions are unknown. */
type Version = { id: string | undefined; isNull: boolean; body: string | undefined; metadata: string }
type Entry<T> = { name: string; item: T | undefined }

const keys = ['a', 'a/', 'a/b', 'a/b/c', 'a//b', 'a+b %41', '../x', 'ä/é', '日本/\uff5e', '日本/\u{1f600}', '"&<\n']
const bodies = ['', 'x', 'hello', 'x'.repeat(300_000)]

const listing = {
  prefix: fc.constantFrom('', 'a', 'a/', '日', '日本/', 'none'),
  delimiter: fc.constantFrom('', '/', '//', 'b'),
  max: fc.constantFrom(1, 2, 5, 1000),
}
const weighted = <T>(weight: number, fields: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) => ({
  weight,
  arbitrary: fc.record(fields),
})
const kind = <const Kind extends string>(name: Kind) => fc.constant(name)
const status = fc.constantFrom('Enabled' as const, 'Suspended' as const)

/** A step of a sequence with some keys. */
const stepWith = (names: readonly string[]) => {
  const key = fc.constantFrom(...names)
  const at = fc.constantFrom(0, 0, 1, 2)
  return fc.oneof(
    weighted(5, { kind: kind('put'), key, body: fc.constantFrom(...bodies) }),
    weighted(2, { kind: kind('copy'), key, from: key, replaces: fc.boolean() }),
    weighted(2, { kind: kind('delete'), key }),
    weighted(3, { kind: kind('deleteVersion'), key, at }),
    weighted(1, { kind: kind('deleteMany'), keys: fc.subarray([...names], { minLength: 1 }) }),
    weighted(2, { kind: kind('versioning'), status }),
    weighted(2, { kind: kind('list'), ...listing }),
    weighted(2, { kind: kind('listVersions'), ...listing }),
    weighted(2, { kind: kind('read'), key, at }),
  )
}
type Step = ReturnType<typeof stepWith> extends fc.Arbitrary<infer T> ? T : never

/** A few keys, so that most steps affect the same ones. */
const sequence = fc
  .subarray(keys, { minLength: 1, maxLength: 3 })
  .chain((names) => fc.array(stepWith(names), { minLength: 40, maxLength: 40 }))

/** Groups items by the delimiter after the prefix, in the order of their keys. */
function fold<T extends { key: string }>(items: readonly T[], prefix: string, delimiter: string): Entry<T>[] {
  const entries: Entry<T>[] = []
  for (const item of items) {
    if (!item.key.startsWith(prefix)) continue
    const at = delimiter === '' ? -1 : item.key.indexOf(delimiter, prefix.length)
    const name = at === -1 ? item.key : item.key.slice(0, at + delimiter.length)
    if (at === -1) entries.push({ name, item })
    else if (!entries.some((entry) => entry.name === name && entry.item === undefined)) {
      entries.push({ name, item: undefined })
    }
  }
  return entries.toSorted((a, b) => compareBytes(a.name, b.name))
}

describeOnDatabases('random sequences, on %s:', (newDatabase) => {
  let s3: TestS3
  let buckets = 0
  beforeAll(async () => {
    s3 = await startTestS3(await newDatabase())
  })
  afterAll(() => s3?.[Symbol.asyncDispose]())

  /** Runs steps in a new bucket, and compares each answer with the model. */
  async function run(steps: readonly Step[]): Promise<void> {
    const { client } = s3
    const Bucket = `sequence-${buckets++}`
    await client.send(new CreateBucketCommand({ Bucket }))
    let versioning: Versioning | undefined
    const state = new Map<string, Version[]>()
    const versionsOf = (name: string) => state.get(name) ?? []
    const latest = (name: string) => versionsOf(name).find((_, at) => at === 0)
    const shownId = ({ isNull, id }: Version) => (isNull ? 'null' : id)
    const hasOwnIds = () => versioning === 'Enabled'

    const add = (name: string, version: Version) => {
      let rest = versionsOf(name)
      if (versioning === 'Suspended') rest = rest.filter(({ isNull }) => !isNull)
      if (versioning === undefined) {
        // An overwrite keeps the version, unless the bytes are the same.
        if (rest[0]?.body === version.body) rest = rest.slice(1)
        rest = rest.map((one) => ({ ...one, isNull: false }))
      }
      state.set(name, [version, ...rest])
    }
    const remove = (name: string, id?: string) => {
      if (id === undefined && versioning === undefined) state.delete(name)
      else if (id === undefined) add(name, { id, isNull: !hasOwnIds(), body: undefined, metadata: '' })
      else
        state.set(
          name,
          versionsOf(name).filter((one) => shownId(one) !== id),
        )
    }
    const read = async (Key: string, VersionId?: string) => {
      try {
        const { Body, Metadata } = await client.send(new GetObjectCommand({ Bucket, Key, VersionId }))
        return { body: await Body?.transformToString(), metadata: Metadata?.['by'] ?? '' }
      } catch (error) {
        return error instanceof Error ? error.name : error
      }
    }
    const expected = (version: Version | undefined, isNamed: boolean) => {
      if (version === undefined) return isNamed ? 'NoSuchVersion' : 'NoSuchKey'
      const { body, metadata } = version
      return body === undefined ? (isNamed ? 'MethodNotAllowed' : 'NoSuchKey') : { body, metadata }
    }
    const sorted = () => [...state].toSorted(([a], [b]) => compareBytes(a, b))

    const list = async (Prefix: string, Delimiter: string, MaxKeys: number) => {
      const found: string[] = []
      let ContinuationToken: string | undefined
      do {
        const query = { Bucket, Prefix, Delimiter, MaxKeys, ContinuationToken, EncodingType: 'url' as const }
        const { Contents = [], CommonPrefixes = [], ...page } = await client.send(new ListObjectsV2Command(query))
        const names = [...Contents.map(({ Key = '' }) => Key), ...CommonPrefixes.map(({ Prefix: one = '' }) => one)]
        expect(names.length).toBeLessThanOrEqual(MaxKeys)
        found.push(...names.map(decodeURIComponent).toSorted(compareBytes))
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken !== undefined)
      return found
    }

    const listVersions = async (Prefix: string, Delimiter: string, MaxKeys: number) => {
      const versions: { key: string; id: string | undefined; isLatest: boolean | undefined; isMarker: boolean }[] = []
      const prefixes: string[] = []
      let KeyMarker: string | undefined
      let VersionIdMarker: string | undefined
      do {
        const query = { Bucket, Prefix, Delimiter, MaxKeys, KeyMarker, VersionIdMarker, EncodingType: 'url' as const }
        const page = await client.send(new ListObjectVersionsCommand(query))
        for (const [isMarker, rows] of [
          [false, page.Versions ?? []],
          [true, page.DeleteMarkers ?? []],
        ] as const)
          for (const { Key = '', VersionId: id, IsLatest: isLatest } of rows)
            versions.push({ key: decodeURIComponent(Key), id, isLatest, isMarker })
        prefixes.push(...(page.CommonPrefixes ?? []).map((one) => decodeURIComponent(one.Prefix ?? '')))
        KeyMarker = page.NextKeyMarker === undefined ? undefined : decodeURIComponent(page.NextKeyMarker)
        VersionIdMarker = page.NextVersionIdMarker
      } while (KeyMarker !== undefined)
      return { versions, prefixes }
    }

    const runStep = async (one: Step): Promise<void> => {
      switch (one.kind) {
        case 'put': {
          const Metadata = { by: String(one.body.length) }
          const { VersionId } = await client.send(
            new PutObjectCommand({ Bucket, Key: one.key, Body: one.body, Metadata }),
          )
          add(one.key, {
            id: hasOwnIds() ? VersionId : undefined,
            isNull: !hasOwnIds(),
            body: one.body,
            metadata: Metadata.by,
          })
          break
        }
        case 'copy': {
          const source = latest(one.from)
          const isRefused = one.from === one.key && !one.replaces
          const sent = client.send(
            new CopyObjectCommand({
              Bucket,
              Key: one.key,
              CopySource: `${Bucket}/${encodeURIComponent(one.from)}`,
              ...(one.replaces ? { MetadataDirective: 'REPLACE', Metadata: { by: 'copy' } } : {}),
            }),
          )
          if (source?.body === undefined || isRefused) {
            await expect(sent).rejects.toMatchObject({
              name: source?.body === undefined ? 'NoSuchKey' : 'InvalidRequest',
            })
            break
          }
          const { VersionId } = await sent
          const metadata = one.replaces ? 'copy' : source.metadata
          add(one.key, { id: hasOwnIds() ? VersionId : undefined, isNull: !hasOwnIds(), body: source.body, metadata })
          break
        }
        case 'delete': {
          const { VersionId } = await client.send(new DeleteObjectCommand({ Bucket, Key: one.key }))
          remove(one.key)
          const marker = latest(one.key)
          if (marker !== undefined && hasOwnIds()) marker.id = VersionId
          break
        }
        case 'deleteVersion': {
          const version = versionsOf(one.key)[one.at]
          const VersionId = (version && shownId(version)) ?? 'null'
          await client.send(new DeleteObjectCommand({ Bucket, Key: one.key, VersionId }))
          remove(one.key, VersionId)
          break
        }
        case 'deleteMany': {
          const Objects = one.keys.map((Key) => ({ Key }))
          const { Deleted, Errors } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
          expect([Deleted?.map(({ Key }) => Key), Errors ?? []]).toEqual([one.keys, []])
          one.keys.forEach((name, at) => {
            remove(name)
            const marker = latest(name)
            if (marker !== undefined && hasOwnIds()) marker.id = Deleted?.[at]?.DeleteMarkerVersionId
          })
          break
        }
        case 'versioning':
          if (versioning === undefined && one.status === 'Suspended') break
          await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: one.status } }))
          versioning = one.status
          break
        case 'list': {
          const live = sorted().flatMap(([name, [first]]) => (first?.body === undefined ? [] : [{ key: name }]))
          const wanted = fold(live, one.prefix, one.delimiter).map(({ name }) => name)
          expect(await list(one.prefix, one.delimiter, one.max)).toEqual(wanted)
          break
        }
        case 'listVersions': {
          const all = sorted().flatMap(([name, versions]) =>
            versions.map((version, at) => ({ key: name, version, isLatest: at === 0 })),
          )
          const wanted = fold(all, one.prefix, one.delimiter)
          const found = await listVersions(one.prefix, one.delimiter, one.max)
          expect(found.prefixes).toEqual(wanted.flatMap(({ name, item }) => (item === undefined ? [name] : [])))
          for (const isMarker of [false, true]) {
            const rows = found.versions.filter((row) => row.isMarker === isMarker)
            const items = wanted.flatMap(({ item }) =>
              item !== undefined && (item.version.body === undefined) === isMarker ? [item] : [],
            )
            expect(rows.map(({ key: name, isLatest }) => [name, isLatest])).toEqual(
              items.map(({ key: name, isLatest }) => [name, isLatest]),
            )
            items.forEach(({ version }, at) => {
              const id = rows[at]?.id
              // From now on, the version is known by its id.
              if (shownId(version) === undefined) version.id = id
              else expect(id).toBe(shownId(version))
            })
          }
          break
        }
        case 'read': {
          expect(await read(one.key)).toEqual(expected(latest(one.key), false))
          const version = versionsOf(one.key)[one.at]
          const id = version && shownId(version)
          if (id !== undefined) expect(await read(one.key, id)).toEqual(expected(version, true))
        }
      }
    }
    for (const one of steps) await runStep(one)
    await runStep({ kind: 'listVersions', prefix: '', delimiter: '', max: 1000 })
    for (const name of state.keys()) expect(await read(name)).toEqual(expected(latest(name), false))
  }

  test('every response matches the model', { timeout: 60_000 }, async () => {
    await fc.assert(fc.asyncProperty(sequence, run), { seed: 42, numRuns: 8 })
  })
})
