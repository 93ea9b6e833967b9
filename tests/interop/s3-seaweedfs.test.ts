import { seaweedfs } from './binaries.ts'
import { s3Suite } from './s3.suite.ts'
import { startSeaweedfs } from './s3-gateway.ts'

s3Suite('SeaweedFS', seaweedfs, startSeaweedfs)
