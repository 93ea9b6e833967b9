export { createS3Credential, findOrCreateS3Credential } from './credentials.ts'
export { s3Front } from './front.ts'
