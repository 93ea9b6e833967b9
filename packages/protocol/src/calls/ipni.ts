import * as v from 'valibot'
import { defineCall } from '../call.ts'
import { callTimeoutMs } from '../limits.ts'
import { anyCidSchema } from '../schemas/cid.ts'

/** `GET /ipni/v1/ad/head`: returns the signed head of the chain of advertisements. */
export const getAdvertisementHead = defineCall({
  id: 'getAdvertisementHead',
  method: 'GET',
  path: '/ipni/v1/ad/head',
  host: 'api',
  tag: 'Routing',
  summary: 'Get the newest advertisement (IPNI)',
  description: 'Returns a signed head for indexers as DAG-JSON.',
  auth: 'none',
  response: { kind: 'bytes', mediaTypes: ['application/json'] },
  otherStatuses: { 204: 'Nothing was announced.' },
  errors: [],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs, perMinute: 1200 },
  idempotent: true,
})

/** `GET /ipni/v1/ad/{cid}`: returns an advertisement, or a part of a list of blocks. */
export const getAdvertisement = defineCall({
  id: 'getAdvertisement',
  method: 'GET',
  path: '/ipni/v1/ad/{cid}',
  host: 'api',
  tag: 'Routing',
  summary: 'Get an advertisement (IPNI)',
  description: 'Returns an advertisement as DAG-JSON, or a part of its list of blocks as DAG-CBOR.',
  auth: 'none',
  params: v.object({ cid: anyCidSchema }),
  response: { kind: 'bytes', mediaTypes: ['application/vnd.ipld.dag-json', 'application/vnd.ipld.dag-cbor'] },
  errors: ['INVALID_CID'],
  dialect: 'api',
  // Indexers fetch a chain one by one, and no advertisement is expensive.
  limits: { timeoutMs: callTimeoutMs, perMinute: 60_000 },
  idempotent: true,
})
