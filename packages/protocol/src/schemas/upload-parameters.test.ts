import * as v from 'valibot'
import { expect, test } from 'vitest'
import {
  decodeUploadMetadata,
  encodeUploadMetadata,
  encodeUploadRequest,
  receivedParametersSchema,
  type UploadParameters,
} from './upload-parameters.ts'

const all: Required<UploadParameters> = {
  cidVersion: 0,
  wrapWithDirectory: true,
  profile: 'unixfs-v1-2025',
  mimeType: 'image/png',
  isEncrypted: true,
  storageType: 'annual',
  announce: true,
  private: true,
}

test('a request carries the options in its query and its headers', () => {
  expect(encodeUploadRequest(all)).toEqual({
    query: { 'cid-version': '0', 'wrap-with-directory': 'true', profile: 'unixfs-v1-2025' },
    headers: {
      'mime-type': 'image/png',
      encryption: 'true',
      'x-storage-type': 'annual',
      announce: 'true',
      private: 'true',
    },
  })
  expect(encodeUploadRequest({ ...all, mimeType: '' }).headers['mime-type']).toBe('')
  expect(encodeUploadRequest({})).toEqual({ query: {}, headers: {} })
})

test('tus metadata carry the same options, and a service reads the same from both', () => {
  const metadata = encodeUploadMetadata(all)
  expect(metadata).toMatchObject({ filetype: 'image/png', 'storage-type': 'annual', encryption: 'true' })
  expect(Object.keys(metadata)).toHaveLength(Object.keys(all).length)
  const { query, headers } = encodeUploadRequest(all)
  expect(
    v.parse(
      receivedParametersSchema,
      decodeUploadMetadata((key) => metadata[key]),
    ),
  ).toEqual(v.parse(receivedParametersSchema, { ...query, ...headers }))
})
