import {
  createBucketOperation,
  deleteBucketOperation,
  getBucketLocation,
  headBucketOperation,
  listBucketsOperation,
} from './buckets/bucket-operations.ts'
import { deleteBucketLifecycle, getBucketLifecycle, putBucketLifecycle } from './lifecycle/operations.ts'
import { listObjectsV1, listObjectsV2 } from './listings/list-operations.ts'
import { listVersionsOperation } from './listings/version-operations.ts'
import { listMultipartsOperation } from './multipart/list-multiparts.ts'
import {
  abortMultipartOperation,
  completeMultipartOperation,
  createMultipartOperation,
  listPartsOperation,
  uploadPartCopyOperation,
  uploadPartOperation,
} from './multipart/multipart-operations.ts'
import { getObjectAttributes } from './objects/attributes-operation.ts'
import { copyObjectOperation } from './objects/copy-operations.ts'
import { deleteObjectsOperation } from './objects/delete-operations.ts'
import { deleteObjectOperation, getObjectOperation, putObjectOperation } from './objects/object-operations.ts'
import {
  deleteBucketTagging,
  deleteObjectTagging,
  getBucketTagging,
  getObjectTagging,
  putBucketTagging,
  putObjectTagging,
} from './objects/tagging-operations.ts'
import { getBucketCid } from './publish/root-operations.ts'
import type { S3Operation } from './s3-call.ts'
import { s3Error } from './s3-error.ts'
import type { S3Request } from './s3-request.ts'
import { getAcl, putAcl } from './settings/acl-operations.ts'
import { deleteBucketCors, getBucketCors, putBucketCors } from './settings/cors-operations.ts'
import {
  absentSetting,
  accelerate,
  logging,
  notification,
  ownershipControls,
  publicAccessBlock,
  readFixed,
  removeAbsentSetting,
  removeFixed,
  requestPayment,
  writeFixed,
} from './settings/fixed-settings.ts'
import { getBucketVersioning, putBucketVersioning } from './settings/versioning-operations.ts'

type Table = Readonly<Record<string, S3Operation>>

/** Operations by method and sub-resource. The empty sub-resource is the bucket or object itself. */
const bucketOperations: Table = {
  'PUT ': createBucketOperation,
  'PUT acl': putAcl,
  'HEAD ': headBucketOperation,
  'DELETE ': deleteBucketOperation,
  'GET ': listObjectsV1,
  'GET list-type': listObjectsV2,
  'GET location': getBucketLocation,
  'GET versioning': getBucketVersioning,
  'PUT versioning': putBucketVersioning,
  'GET acl': getAcl,
  'GET cid': getBucketCid,
  'GET cors': getBucketCors,
  'PUT cors': putBucketCors,
  'DELETE cors': deleteBucketCors,
  'GET lifecycle': getBucketLifecycle,
  'PUT lifecycle': putBucketLifecycle,
  'DELETE lifecycle': deleteBucketLifecycle,
  'GET tagging': getBucketTagging,
  'PUT tagging': putBucketTagging,
  'DELETE tagging': deleteBucketTagging,
  'GET uploads': listMultipartsOperation,
  'GET versions': listVersionsOperation,
  'POST delete': deleteObjectsOperation,
  'GET policy': absentSetting('NoSuchBucketPolicy'),
  'DELETE policy': removeAbsentSetting,
  'GET policyStatus': absentSetting('NoSuchBucketPolicy'),
  'GET encryption': absentSetting('ServerSideEncryptionConfigurationNotFoundError'),
  'DELETE encryption': removeAbsentSetting,
  'GET object-lock': absentSetting('ObjectLockConfigurationNotFoundError'),
  'GET replication': absentSetting('ReplicationConfigurationNotFoundError'),
  'DELETE replication': removeAbsentSetting,
  'GET website': absentSetting('NoSuchWebsiteConfiguration'),
  'DELETE website': removeAbsentSetting,
  'GET publicAccessBlock': readFixed(publicAccessBlock),
  'PUT publicAccessBlock': writeFixed(publicAccessBlock),
  'DELETE publicAccessBlock': removeFixed(publicAccessBlock),
  'GET ownershipControls': readFixed(ownershipControls),
  'PUT ownershipControls': writeFixed(ownershipControls),
  'DELETE ownershipControls': removeFixed(ownershipControls),
  'GET requestPayment': readFixed(requestPayment),
  'PUT requestPayment': writeFixed(requestPayment),
  'GET accelerate': readFixed(accelerate),
  'PUT accelerate': writeFixed(accelerate),
  'GET logging': readFixed(logging),
  'PUT logging': writeFixed(logging),
  'GET notification': readFixed(notification),
  'PUT notification': writeFixed(notification),
}

const objectOperations: Table = {
  'PUT ': putObjectOperation,
  'PUT acl': putAcl,
  'GET ': getObjectOperation,
  'GET acl': getAcl,
  'GET attributes': getObjectAttributes,
  'HEAD ': getObjectOperation,
  'DELETE ': deleteObjectOperation,
  'GET tagging': getObjectTagging,
  'PUT tagging': putObjectTagging,
  'DELETE tagging': deleteObjectTagging,
  'POST uploads': createMultipartOperation,
  'PUT uploadId': uploadPartOperation,
  'POST uploadId': completeMultipartOperation,
  'DELETE uploadId': abortMultipartOperation,
  'GET uploadId': listPartsOperation,
}

/** Operations by method, for requests with a copy source. */
const copyOperations: Table = { 'PUT ': copyObjectOperation, 'PUT uploadId': uploadPartCopyOperation }

/** Parameters that select a sub-resource, also with a value. Those without an operation are rejected, never ignored. */
const subResources = new Set([
  'accelerate',
  'acl',
  'analytics',
  'append',
  'attributes',
  'cid',
  'cors',
  'delete',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'legal-hold',
  'lifecycle',
  'list-type',
  'location',
  'logging',
  'metadataTable',
  'metrics',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'renameObject',
  'replication',
  'requestPayment',
  'restore',
  'retention',
  'select',
  'session',
  'tagging',
  'torrent',
  'uploadId',
  'uploads',
  'versioning',
  'versions',
  'website',
])

/** Parameters that select no sub-resource, and that clients may send without a value. */
const plainParameters = new Set([
  'bucket-region',
  'continuation-token',
  'delimiter',
  'encoding-type',
  'fetch-owner',
  'key-marker',
  'marker',
  'max-buckets',
  'max-keys',
  'max-parts',
  'max-uploads',
  'part-number-marker',
  'partNumber',
  'prefix',
  'response-cache-control',
  'response-content-disposition',
  'response-content-encoding',
  'response-content-language',
  'response-content-type',
  'response-expires',
  'start-after',
  'upload-id-marker',
  'version-id-marker',
  'versionId',
])

/**
 * Returns whether a parameter selects a sub-resource, including those that S3 adds later. They have no value. Without this, their
 * requests would overwrite or delete the object or bucket itself.
 */
function isSubResource([name, value]: readonly [name: string, value: string]): boolean {
  if (subResources.has(name)) return true
  return value === '' && name !== '' && !plainParameters.has(name) && !/^x-/i.test(name)
}

/** Finds the operation of a request. @throws CairnError `NotImplemented`, `MethodNotAllowed` */
export function findOperation({ method, bucket, key, query, header }: S3Request): S3Operation {
  if (bucket === '') {
    if (method === 'GET' && key === '') return listBucketsOperation
    throw s3Error('MethodNotAllowed')
  }
  const named = [...query].filter(isSubResource).map(([name]) => name)
  const [subResource = '', more] = named
  if (more !== undefined) throw s3Error('InvalidRequest', `${subResource} and ${more} cannot be combined.`)
  const isCopy = key !== '' && header('x-amz-copy-source') !== undefined
  const table = key === '' ? bucketOperations : isCopy ? { ...objectOperations, ...copyOperations } : objectOperations
  const operation = table[`${method} ${subResource}`]
  if (operation !== undefined) return operation
  if (subResource !== '') throw s3Error('NotImplemented', `${method} with ${subResource} is not supported.`)
  throw s3Error(method === 'POST' ? 'NotImplemented' : 'MethodNotAllowed')
}
